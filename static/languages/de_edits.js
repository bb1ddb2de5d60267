// @ts-check
/** German of edits: the form that edits a tool, the overlays of a server, and what the tools cost. */

/** @type {Record<string, string>} */
export const GERMAN_EDITS = {
  // The form
  "An edit changes what models read and which arguments they fill, never the API. It is stored with the server as an OpenAPI Overlay, which you can export. What you change has to be accepted again.":
    "Eine Bearbeitung ändert, was Modelle lesen und welche Argumente sie ausfüllen, nie die API. Sie wird beim Server als OpenAPI-Overlay gespeichert, das sich exportieren lässt. Was geändert ist, muss erneut akzeptiert werden.",
  "Save the edits": "Bearbeitung speichern",
  "All edits of the server": "Alle Bearbeitungen des Servers",
  "What you typed here is not saved. Leave it all the same?":
    "Die Eingaben hier sind nicht gespeichert. Trotzdem verlassen?",
  "As the document says": "Wie im Dokument",
  "{0}: as the document says": "{0}: wie im Dokument",
  "as the document says": "wie im Dokument",
  "The document says": "Im Dokument steht",
  nothing: "nichts",
  edited: "bearbeitet",
  "What models call it. Its old name still works.": "So nennen es Modelle. Der alte Name gilt weiter.",
  "What models call it; the API still gets {0}.": "So nennen es Modelle; die API bekommt weiterhin {0}.",
  Description: "Beschreibung",
  "What models read of it.": "Was Modelle darüber lesen.",
  "Place in lists": "Platz in Listen",
  "Lower numbers come first; without one it is 0.": "Kleinere Zahlen stehen vorn; ohne Angabe gilt 0.",
  "Leave it out": "Weglassen",
  "Models do not get this tool.": "Modelle bekommen dieses Tool nicht.",
  "Ask every time": "Jedes Mal fragen",
  "May be always allowed": "Darf immer erlaubt werden",
  "Part of the answer": "Teil der Antwort",
  "A query (JMESPath) that chooses what models get of each answer.":
    "Eine Abfrage (JMESPath), die auswählt, was Modelle von jeder Antwort bekommen.",
  Examples: "Beispiele",
  "Arguments of good calls, as a JSON array of objects.": "Argumente guter Aufrufe, als JSON-Array von Objekten.",
  "As JSON.": "Als JSON.",
  "Fixed value": "Fester Wert",
  "Always sent, and models do not see the argument. No place for secrets.":
    "Wird immer gesendet, und Modelle sehen das Argument nicht. Kein Ort für Geheimnisse.",
  "Hide it": "Verbergen",
  "Models do not see it. It is sent only if it is required, with its default.":
    "Modelle sehen es nicht. Gesendet wird es nur, wenn es Pflicht ist, mit seinem Standardwert.",
  "No overlay can name it, so it cannot be edited here.":
    "Kein Overlay kann es benennen, darum lässt es sich hier nicht bearbeiten.",
  "Other tools may be described by the same part of the document: they change, too.":
    "Derselbe Teil des Dokuments kann andere Tools beschreiben: Sie ändern sich mit.",
  "Other tools may have the same default: it changes for them, too.":
    "Andere Tools können denselben Standardwert haben: Er ändert sich für sie mit.",

  // What is wrong with it
  "This is not JSON.": "Das ist kein JSON.",
  "A name has 1 to 64 letters, digits, _ or -.": "Ein Name hat 1 bis 64 Buchstaben, Ziffern, _ oder -.",
  "A name has 1 to 64 letters, digits, _, - or dots.": "Ein Name hat 1 bis 64 Buchstaben, Ziffern, _, - oder Punkte.",
  "Another tool has this name already: models call this one {0}.":
    "Ein anderes Werkzeug heißt schon so: Modelle nennen dieses {0}.",
  "The document allows only {0}.": "Das Dokument erlaubt nur {0}.",
  "The document asks for {0}.": "Das Dokument verlangt {0}.",
  "It is at least {0}.": "Der Wert ist mindestens {0}.",
  "It is at most {0}.": "Der Wert ist höchstens {0}.",
  "It has at least {0} characters.": "Der Wert hat mindestens {0} Zeichen.",
  "It has at most {0} characters.": "Der Wert hat höchstens {0} Zeichen.",
  "It lacks {0}.": "Es fehlt {0}.",
  "{0} It is sent as it is.": "{0} Er wird so gesendet, wie er ist.",
  "A description has at most {0} characters.": "Eine Beschreibung hat höchstens {0} Zeichen.",
  "The place is a whole number, at most {0}.": "Der Platz ist eine ganze Zahl, höchstens {0}.",
  "A query has at most {0} characters.": "Eine Abfrage hat höchstens {0} Zeichen.",
  'Examples are an array of objects, such as [{"id": 7}].':
    'Beispiele sind ein Array von Objekten, zum Beispiel [{"id": 7}].',
  "Saved elsewhere meanwhile: {0}. Save again to replace that.":
    "Inzwischen anderswo gespeichert: {0}. Erneut speichern, um das zu ersetzen.",
  "Nothing is saved yet: another tab has changed the same. See the marked fields.":
    "Noch ist nichts gespeichert: Ein anderer Tab hat dasselbe geändert. Siehe die markierten Felder.",
  "Saved. Models no longer get this tool.": "Gespeichert. Modelle bekommen dieses Tool nicht mehr.",
  "Saved. {0} operation waits until you accept it.|Saved. {0} operations wait until you accept them.":
    "Gespeichert. {0} Operation wartet, bis sie akzeptiert ist.|Gespeichert. {0} Operationen warten, bis sie akzeptiert sind.",

  // Servers of others
  "This server comes from the command line of the bridge, where --overlay edits it.":
    "Dieser Server kommt von der Befehlszeile der Bridge; dort bearbeitet ihn --overlay.",
  "Only the user who shares this server may edit its tools.":
    "Nur wer diesen Server teilt, darf seine Tools bearbeiten.",
  "Add the document as a server of your own to edit it there.":
    "Zum Bearbeiten das Dokument als eigenen Server hinzufügen.",

  // The overlays of a server
  Edits: "Bearbeitungen",
  "OpenAPI Overlays that edit its tools, each what the one before leaves. What they change has to be accepted again.":
    "OpenAPI-Overlays, die seine Tools bearbeiten, jedes das Ergebnis des vorigen. Was sie ändern, muss erneut akzeptiert werden.",
  Overlays: "Overlays",
  "Overlay {0}": "Overlay {0}",
  "Edits made in the page": "Bearbeitungen in der Seite",
  "{0} change|{0} changes": "{0} Änderung|{0} Änderungen",
  "Export {0}": "{0} exportieren",
  "Add an overlay file": "Overlay-Datei hinzufügen",

  // What they cost, and the original in the review
  tokens: "Tokens",
  "about {0}": "etwa {0}",
  "Its definition takes about {0} of every request that lists it.":
    "Seine Definition kostet etwa {0} in jeder Anfrage, die es auflistet.",
  "Its definition takes about {0} of every request that lists it; {1} before the edits.":
    "Seine Definition kostet etwa {0} in jeder Anfrage, die es auflistet; vor der Bearbeitung {1}.",
  "Its tools take about {0} tokens, {1} before the edits: {2} fewer.":
    "Seine Tools kosten etwa {0} Tokens, vor der Bearbeitung {1}: {2} weniger.",
  "Its tools take about {0} tokens, {1} before the edits: {2} more.":
    "Seine Tools kosten etwa {0} Tokens, vor der Bearbeitung {1}: {2} mehr.",
  "Its tools take about {0} tokens, as many as before the edits.":
    "Seine Tools kosten etwa {0} Tokens, so viele wie vor der Bearbeitung.",
  "The document calls it {0}.": "Im Dokument heißt es {0}.",
  "The document says: {0}": "Im Dokument steht: {0}",
  "Each request carries {0}.": "Jede Anfrage enthält {0}.",
  "Models now call the {0} parameter {1} {2}.": "Modelle nennen den Parameter {1} ({0}) jetzt {2}.",
  "Models now choose the {0} parameter {1}.": "Den Parameter {1} ({0}) bestimmen jetzt Modelle.",
  "The {0} parameter {1} is now always {2}.": "Der Parameter {1} ({0}) ist jetzt immer {2}.",
  "Before the edits": "Vor der Bearbeitung",
};
