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

  // An answer that comes
  "What has come so far": "Was bisher angekommen ist",
  "{0} received": "{0} empfangen",
  "{0} event|{0} events": "{0} Ereignis|{0} Ereignisse",
  "{0} line|{0} lines": "{0} Zeile|{0} Zeilen",
  "It was stopped on the bridge page while the API was still sending.":
    "Es wurde auf der Seite der Bridge angehalten, während die API noch gesendet hat.",
};
