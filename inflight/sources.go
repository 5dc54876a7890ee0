package inflight

import (
	"recovery/internal/sources"
	"recovery/internal/sources/agentsession"
	"recovery/internal/sources/babysitter"
	"recovery/internal/sources/ouroboros"
)

// Sources are the systems that are asked. One more is one more package and one more line here; docs/sources.md tells
// how.
func Sources(a Account) []sources.Source {
	return []sources.Source{
		{Name: ouroboros.Name, Find: ouroboros.Find, Box: ouroboros.Box},
		{Name: babysitter.Name, Find: babysitter.Find},
		{Name: agentsession.Name, Find: agentsession.Find},
		{Name: Claude, Find: a.find},
	}
}
