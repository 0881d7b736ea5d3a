package config

// A file of rules: the sections functions and rules of an engine file by themselves, for runs that belong to no engine.

import (
	"github.com/google/jsonschema-go/jsonschema"

	"github.com/peregrine-sim/peregrine/config/document"
	"github.com/peregrine-sim/peregrine/internal/intake"
)

var rulesForm = document.Form{What: "a file of rules", Begins: "rules:", Bytes: 1 << 20, Words: 30_000}

// RuleFile is the content of a file of rules.
type RuleFile struct {
	Functions []Function
	Rules     []Rule
}

// LoadRules reads a file of rules; see [ParseRules].
func LoadRules(path string) (*RuleFile, error) {
	data, err := intake.Read(path, rulesForm.Limit())
	if err != nil {
		return nil, err
	}
	return ParseRules(path, data)
}

// ParseRules reads the text of a file of rules, whose name stands in messages. If anything is wrong the error is an
// [*document.Errors] with all of it.
//
//	functions: {HEAD: BODY}
//	rules: [RULE]
func ParseRules(file string, data []byte) (*RuleFile, error) {
	r := &reader{Reader: document.NewReader(file, rulesForm), engine: &Engine{File: file}}
	if root := r.Tree(data); root != nil {
		r.Group(root, "", "rules: a list of rules", r.ruleSections(true))
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return &RuleFile{r.engine.Functions, r.engine.Rules}, nil
}

// ruleSections are the sections of a file of rules, which an engine file has, too.
func (r *reader) ruleSections(required bool) []document.Key {
	rules := r.Optional("rules", "Rules that warn of results, besides those built in.", r.rules())
	rules.Required = required
	return []document.Key{
		r.Optional("functions",
			"Functions that rules use: a head such as fell(x, n), and a condition or an expression.",
			r.functions()), rules}
}

// RulesSchema returns the JSON Schema of a file of rules.
func RulesSchema() *jsonschema.Schema {
	r := &reader{engine: &Engine{}}
	return document.Titled("Peregrine rules", document.Object("Rules for any runs.", r.ruleSections(true)))
}
