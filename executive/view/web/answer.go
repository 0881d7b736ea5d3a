package web

// Answers as JSON.

import (
	"encoding/json"
	"net/http"
)

// answer writes a value as JSON.
func answer(w http.ResponseWriter, code int, value any) {
	text, err := json.Marshal(value)
	if err != nil {
		refuse(w, http.StatusInternalServerError, err.Error())
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(code)
	_, _ = w.Write(append(text, '\n')) // the browser has left
}

// refuse writes an error as JSON.
func refuse(w http.ResponseWriter, code int, why string) {
	answer(w, code, map[string]string{"error": why})
}
