package main

// The kernels' constants stand in package bladerow alone. The generator evaluates
// expressions of them as the compiler does, exactly and rounded once, so that a kernel has the
// bits of the Go function beside it.

import (
	"errors"
	"go/ast"
	"go/constant"
	"go/parser"
	"go/token"
	"go/types"
	"log"
	"path/filepath"
	"strings"
)

// source is package bladerow with the constants that it declares.
var source = load("..")

// load type-checks the Go files of a folder without what they import: constants need
// none of it.
func load(dir string) *types.Package {
	files := token.NewFileSet()
	paths, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		log.Fatal(err)
	}
	var parsed []*ast.File
	for _, path := range paths {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(files, path, nil, 0)
		if err != nil {
			log.Fatal(err)
		}
		parsed = append(parsed, f)
	}
	check := types.Config{Error: func(error) {}, Importer: noImports{}}
	pkg, _ := check.Check("bladerow", files, parsed, nil)
	return pkg
}

type noImports struct{}

func (noImports) Import(string) (*types.Package, error) { return nil, errors.New("not needed") }

// number returns a constant expression of package bladerow.
func number(expression string) float64 {
	v, err := types.Eval(token.NewFileSet(), source, token.NoPos, expression)
	if err != nil {
		log.Fatal(err)
	}
	if v.Value == nil {
		log.Fatalf("%s is not a constant of package bladerow", expression)
	}
	x, _ := constant.Float64Val(constant.ToFloat(v.Value))
	return x
}
