(function () {
  "use strict";
  var root = document.documentElement;
  root.classList.add("js");

  // Copying: the clipboard where the browser gives it to a page, else a selection that it copies by itself.
  var said = document.getElementById("said");
  function selected(text) {
    var box = document.createElement("textarea");
    box.value = text;
    box.readOnly = true;
    box.className = "off";
    document.body.appendChild(box);
    box.select();
    var done = false;
    try { done = document.execCommand("copy"); } catch (e) { done = false; }
    box.remove();
    return done;
  }
  function tell(button, done) {
    var was = button.dataset.label || button.textContent;
    button.dataset.label = was;
    button.textContent = done ? "Copied" : "Not copied";
    button.classList.toggle("done", done);
    said.textContent = done ? "Copied." : "It could not be copied: select the text and copy it.";
    button.focus();
    clearTimeout(button.waits);
    button.waits = setTimeout(function () {
      button.textContent = was;
      button.classList.remove("done");
      said.textContent = "";
    }, 2000);
  }
  document.addEventListener("click", function (event) {
    var button = event.target.closest("button.copy");
    if (!button) { return; }
    var text = button.closest(".copyable").querySelector("[data-text]").textContent;
    if (navigator.clipboard && navigator.clipboard.writeText) {
      navigator.clipboard.writeText(text).then(function () { tell(button, true); }, function () { tell(button, selected(text)); });
    } else {
      tell(button, selected(text));
    }
  });

  // Filtering: every word has to be in the card, in any order.
  var bar = document.getElementById("filter");
  var input = document.getElementById("filter-text");
  var list = document.getElementById("filter-list");
  var clear = document.getElementById("filter-clear");
  var count = document.getElementById("filter-count");
  var nothing = document.getElementById("nothing");
  var sections = Array.prototype.slice.call(document.querySelectorAll("section.list"));
  var items = Array.prototype.slice.call(document.querySelectorAll("[data-item]"));
  var total = document.querySelectorAll("[data-session]").length;
  var words = null;
  function filter() {
    var want = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    var state = list.value;
    var on = want.length > 0 || state !== "";
    if (want.length > 0 && !words) {
      words = items.map(function (item) { return item.textContent.toLowerCase(); });
    }
    var shown = 0, any = 0;
    items.forEach(function (item, i) {
      var fits = (state === "" || item.dataset.list === state) && want.every(function (w) { return words[i].indexOf(w) >= 0; });
      item.hidden = !fits;
      if (fits) { any++; }
      if (fits && item.hasAttribute("data-session")) { shown++; }
    });
    sections.forEach(function (s) { s.hidden = on && !s.querySelector("[data-item]:not([hidden])"); });
    nothing.hidden = !on || any > 0;
    clear.hidden = !on;
    count.textContent = on ? shown + " of " + total + " sessions shown" : total + (total === 1 ? " session" : " sessions");
  }
  var waits = 0;
  input.addEventListener("input", function () { clearTimeout(waits); waits = setTimeout(filter, 120); });
  list.addEventListener("change", filter);
  function reset() { input.value = ""; list.value = ""; filter(); }
  clear.addEventListener("click", function () { reset(); input.focus(); });
  // A link into the page leads somewhere also when its target is filtered away.
  function arrive() {
    var target = document.getElementById(location.hash.slice(1));
    if (target && target.closest("[hidden]")) { reset(); target.scrollIntoView(); }
  }
  window.addEventListener("hashchange", arrive);
  if (total > 1) { bar.hidden = false; }
  filter();
})();
