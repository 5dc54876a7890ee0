package review
import ("testing";"os";"strings";"fmt")
func TestZZ(t *testing.T){
 d,_:=os.ReadFile("/dev/shm/fr_c/cases.txt")
 for i,c:=range strings.Split(string(d),"\n====\n"){
  head,body,_:=strings.Cut(c,"\n")
  f:=strings.Fields(head) // expect verdict [m] [p]
  if len(f)<2 {continue}
  v:=Verdict{Verdict:f[1]}
  if f[1]=="OWNER"{v.Open=[]string{"x"}}
  if len(f)>2&&strings.Contains(f[2],"m"){v.MoneyAtRisk="9 EUR"}
  if len(f)>2&&strings.Contains(f[2],"p"){v.PersonWaiting="Kim"}
  got:=contradiction(&v,body)
  if (f[0]=="ok")!=(got==""){fmt.Printf("MISMATCH %d want %s %s: %q\n   got %q\n",i,f[0],f[1],body,got)}
 }
}
