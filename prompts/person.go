package prompts

import "regexp"

// What may be said to the session itself.
var youForm = regexp.MustCompile(`^you (?:may|can|could|might)(?: also| only)? ` +
	`(?:read|look|list|see|check|find|ask|compare|search|view|show|describe|report|say|count|name|inspect|quote)\b` +
	`|^you (?:may|can|could|must|should|shall|will|do|did|have|are|were)(?: not|not)\b|^you (?:cannot|never)\b` +
	`|^you (?:are|were)(?: now| still)? (?:session|in|at|woken|asked|the (?:owner|duplicate)|one ` +
	`of|offline|retired|[0-9a-f]{8})\b` +
	`|^you (?:have|had|list|lack|own|hold) (?:two|three|four|five|\d+|no|one|only)\b` +
	`|^you (?:asked|wrote|listed|found|named|stopped|reported|ended|waited|lack|own)\b`)

// What may be said about a person, or by the writer of the data about himself.
var personForm = regexp.MustCompile(`^(?:i|we) (?:do not|did not|have not|cannot|could not|never|had not|has not) ` +
	`(?:know|see|find|have (?:the|any) ` +
	`(?:address|number|data|access)|approve|approved|confirm|confirmed|agree|agreed|send|sent|pay|paid|ask|asked|` +
	`answer|answered|say|said|reply|replied|receive|received|hear|heard|write|written)\b` +
	`|^(?:i|we) (?:found|saw|paid|sent|asked ` +
	`(?:the|for|about|whether)|wrote|looked|received|called|moved|lost|read|noticed|lack|miss|waited|wait for|have ` +
	`(?:two|three|four|five|no|one|\d+)|had (?:two|three|no|one|\d+))\b` +
	`|^(?:the |our |your |a |this |that ` +
	`)?(?:user|users|boss|manager|client|admin|administrator|operator|human|management|everyone|everybody|director|ceo|` +
	`cto|cfo|principal|stakeholders?)(?:'s)?(?: still| also)? (?:is (?:away|ill|on|in|at|not|waiting|still|offline|` +
	`asked|unknown|the one)|was (?:asked|told|informed|not|away|on|in)|were|has to (?:decide|choose|read|answer|say|` +
	`confirm|approve)|must (?:decide|choose|read|answer|say|confirm|approve|type|be asked)|may still|decides|will ` +
	`(?:answer|decide|reply|choose|be asked|say|read|see)|waits|waited|needs|lacks|complained|asked (?:for|whether|` +
	`which|when|where|who|what|how|why|about|if|on|in|twice)|asks (?:for|whether|which|when|where|who|what|how|why|` +
	`about|if)|asked|asks|did not|does not|has not|have not|cannot|can (?:decide|choose|see|read)|never|has (?:three|` +
	`two|no|four|\d+)|sent|saw|opened|left|lost|reported|rejected|declined|refused|stopped|cancelled|table|account|` +
	`accounts|id|name|names|list|manual|guide|data|database|interface|count|role|roles|agent|folder|directory|menu|` +
	`settings|page)\b` +
	`|^(?:the |our |your |a |this |that )?(?:user|users|boss|manager|client|admin|operator)'s? ` +
	`(?:last|first|message|messages|question|questions|answer|decision|reply|account|folder|mail|name|list|choice|` +
	`approval|own|data|session|sessions|next)\b` +
	`|^(?:everyone|everybody) else (?:replies|answers|does nothing|waits)\b` +
	`|^(?:the |our |your |a )?(?:user|boss|manager|client|admin)(?: still| also)? ` +
	`(?:typed|wrote|said|answered|replied) (?:nothing|no|nobody|that nothing)\b`)
