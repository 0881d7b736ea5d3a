package config

// A file of rules: the sections functions and rules of an engine file by themselves, for runs that belong to no engine.

import (
	"github.com/goccy/go-yaml/ast"

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
		var functions, rules section
		r.Group(root, "", "rules: a list of rules", []document.Key{
			document.Optional("functions", functions.keep),
			document.Required("rules", rules.keep),
		})
		functions.read(func(n ast.Node, path string) { r.functions(n, path) })
		rules.read(func(n ast.Node, path string) { r.rules(n, path) })
	}
	if err := r.Errors(); err != nil {
		return nil, err
	}
	return &RuleFile{r.engine.Functions, r.engine.Rules}, nil
}
