// @ts-check
/** German of a tool that is tried: its address bar, the answer beside the form, and what can be done with an answer. */

/** @type {Record<string, string>} */
export const GERMAN_TRYING = {
  // The address bar
  "Address of the request": "Adresse der Anfrage",
  "Ctrl+↵": "Strg+↵",
  "Run the tool that is open": "Das geöffnete Tool ausführen",

  // The answer
  "The answer will stand here.": "Hier steht dann die Antwort.",
  "A file of {0}.": "Eine Datei von {0}.",

  // Where the time went
  "Time by phase": "Zeit nach Phasen",
  Queue: "Warteschlange",
  "Wait for approval": "Warten auf Freigabe",
  Preparation: "Vorbereitung",
  "Server, with preflight and connection": "Server, mit Preflight und Verbindung",
  "Preflight and connection": "Preflight und Verbindung",
  "To the bridge": "Zur Bridge",

  // Search, table, comparison, the whole
  "Search in the answer": "In der Antwort suchen",
  "more than {0}": "mehr als {0}",
  "Previous match": "Voriger Treffer",
  "Next match": "Nächster Treffer",
  "Download as CSV": "Als CSV herunterladen",
  "Compare with the last answer": "Mit der letzten Antwort vergleichen",
  "Nothing differs from the answer of {0}.": "Nichts ist anders als in der Antwort von {0}.",
  "Compared with the answer of {0}:": "Verglichen mit der Antwort von {0}:",
  "{0} line added|{0} lines added": "{0} Zeile neu|{0} Zeilen neu",
  "{0} line removed|{0} lines removed": "{0} Zeile entfernt|{0} Zeilen entfernt",
  "What differs": "Was anders ist",
  "You see all of it; a model reads only the beginning.": "Hier ist alles zu sehen; ein Modell liest nur den Anfang.",
  "Show the whole answer ({0})": "Ganze Antwort zeigen ({0})",

  // An answer that comes
  "What has come so far": "Was bisher angekommen ist",
  "{0} received": "{0} empfangen",
  "{0} event|{0} events": "{0} Ereignis|{0} Ereignisse",
  "{0} line|{0} lines": "{0} Zeile|{0} Zeilen",
  "It was stopped on the bridge page while the API was still sending.":
    "Es wurde auf der Seite der Bridge angehalten, während die API noch gesendet hat.",
};
