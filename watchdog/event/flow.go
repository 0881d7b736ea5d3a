package event

// Flow is the structure of an engine: how its components are joined.
type Flow struct {
	Components []FlowPart // in the order of the engine file
	Links      []FlowLink
	Shafts     []FlowShaft
}

// FlowPart is a component.
type FlowPart struct{ Name, Type string }

// FlowLink joins an outlet to an inlet: component and port of each.
type FlowLink struct{ From, Out, To, In string }

// FlowShaft is a shaft, or a bus of electric power, with the components on it.
type FlowShaft struct {
	Name  string
	Parts []string
}
