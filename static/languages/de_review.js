// @ts-check
/** German of the review of a document, and of what models are shown. */

/** @type {Record<string, string>} */
export const GERMAN_REVIEW = {
  // Above the list
  "Review {0}": "{0} durchsehen",
  "Models may use the operations you accept, and this browser will send exactly these requests. If the document changes, you are asked again.":
    "Modelle dürfen die akzeptierten Operationen benutzen, und dieser Browser sendet genau diese Anfragen. Ändert sich das Dokument, wird noch einmal gefragt.",
  "The document has changed meanwhile. This is the new version: review it again, then accept.":
    "Das Dokument hat sich inzwischen geändert. Das ist die neue Fassung: noch einmal prüfen, dann akzeptieren.",
  "The document has changed since you opened this list. Review it again, then accept.":
    "Das Dokument hat sich geändert, seit diese Liste offen ist. Noch einmal prüfen, dann akzeptieren.",
  "{0} operation changed since you accepted, and paused until you decide.|{0} operations changed since you accepted, and paused until you decide.":
    "{0} Operation hat sich geändert, seit sie akzeptiert wurde, und pausiert bis zur Entscheidung.|{0} Operationen haben sich geändert, seit sie akzeptiert wurden, und pausieren bis zur Entscheidung.",
  "The document does not say where the API is. ": "Das Dokument sagt nicht, wo die API ist. Zuerst ",
  "Give it a base address": "eine Basisadresse angeben",
  " first.": ".",
  "All operations": "Alle Operationen",
  "Not accepted": "Nicht akzeptiert",
  Selected: "Ausgewählt",
  "Not selected": "Nicht ausgewählt",
  "Search the operations": "Operationen durchsuchen",
  "Choose operations": "Operationen auswählen",
  "Read-only": "Nur lesende",
  "Read-only: {0}": "Nur lesende: {0}",
  "{0} of {1}. Choose among these:": "{0} von {1}. Unter diesen auswählen:",
  "{0}, {1} can change data": "{0}, davon {1} schreibend",
  "{0}. Reading their requests…": "{0}. Ihre Anfragen werden gelesen …",
  "{0} selected": "{0} ausgewählt",
  "{0} new": "{0} neu",
  "{0} withdrawn": "{0} zurückgezogen",
  "{0}, all accepted": "{0}, alle akzeptiert",
  "Accept the selection": "Auswahl akzeptieren",

  // The list
  Operations: "Operationen",
  "Changed since you accepted": "Geändert, seit sie akzeptiert wurden",
  "Without a tag": "Ohne Tag",
  "{0} of {1}": "{0} von {1}",
  accepted: "akzeptiert",
  "What changed": "Was sich geändert hat",
  "can delete data": "kann Daten löschen",
  "The server itself says: {0}. You are asked all the same.": "Der Server selbst sagt: {0}. Gefragt wird trotzdem.",
  "can change something": "kann etwas ändern",
  "may delete or overwrite": "kann löschen oder überschreiben",
  "deletes nothing": "löscht nichts",
  "twice is as once": "zweimal wirkt wie einmal",
  "twice is not as once": "zweimal wirkt nicht wie einmal",
  "reaches other systems": "erreicht andere Systeme",
  "stays within its own": "bleibt im eigenen System",
  "Through the companion extension, with a value that you set for the server, it also sends: {0}.":
    "Über die Companion-Erweiterung, mit einem beim Server hinterlegten Wert, sendet sie auch: {0}.",

  // What changed
  "It has changed since you accepted it on another device.":
    "Sie hat sich geändert, seit sie auf einem anderen Gerät akzeptiert wurde.",
  "The {0} parameter {1} is gone.": "Der Parameter {1} ({0}) ist weggefallen.",
  "The {0} parameter {1} is new.": "Der Parameter {1} ({0}) ist neu.",
  "The {0} parameter {1} is new and required.": "Der Parameter {1} ({0}) ist neu und Pflicht.",
  "The {0} parameter {1} is now required.": "Der Parameter {1} ({0}) ist jetzt Pflicht.",
  "The {0} parameter {1} is now optional.": "Der Parameter {1} ({0}) ist jetzt optional.",
  "The {0} parameter {1} is written differently.": "Der Parameter {1} ({0}) wird anders geschrieben.",
  "It now sends a body.": "Sie sendet jetzt einen Body.",
  "It no longer sends a body.": "Sie sendet keinen Body mehr.",
  "The body changes from {0} to {1}.": "Der Body wechselt von {0} zu {1}.",
  "New in the body: {0}.": "Neu im Body: {0}.",
  "Gone from the body: {0}.": "Weggefallen aus dem Body: {0}.",
  "The body is written differently.": "Der Body wird anders geschrieben.",
  "Its title was {0} and is now {1}.": "Titel bisher: {0}, jetzt: {1}.",
  "Its description was {0} and is now {1}.": "Beschreibung bisher: {0}, jetzt: {1}.",
  "“{0}”": "„{0}“",
  absent: "nicht vorhanden",
  "What the server claims of it was {0} and is now {1}.": "Angaben des Servers dazu bisher: {0}, jetzt: {1}.",
  "Its definition has another {0}.": "In der Definition hat sich {0} geändert.",
  "The argument {0} is new.": "Das Argument {0} ist neu.",
  "The argument {0} is gone.": "Das Argument {0} ist weggefallen.",
  "Its arguments are described differently.": "Die Argumente sind anders beschrieben.",
  "The address changes from {0} to {1}.": "Adresse bisher: {0}, jetzt: {1}.",
  "The method changes from {0} to {1}.": "Methode bisher: {0}, jetzt: {1}.",
  "The path changes from {0} to {1}.": "Pfad bisher: {0}, jetzt: {1}.",
  "It asks for other credentials.": "Sie verlangt andere Zugangsdaten.",
  "The request stays as it was; the description or the arguments that models read have changed.":
    "Die Anfrage bleibt, wie sie war; geändert haben sich die Beschreibung oder die Argumente, die Modelle lesen.",

  // Once it is accepted
  "{0} accepted.": "{0} akzeptiert.",
  "Nothing is left to decide.": "Es bleibt nichts zu entscheiden.",
  "{0} operation of this document is not accepted.|{0} operations of this document are not accepted.":
    "{0} Operation dieses Dokuments ist nicht akzeptiert.|{0} Operationen dieses Dokuments sind nicht akzeptiert.",
  "Settings of the server": "Einstellungen des Servers",
  "The document gives it a server of its own, which is not an http or https address.":
    "Das Dokument gibt ihr einen eigenen Server, der keine http- oder https-Adresse ist.",
  'The bridge gave no usable plan for "{0}". Reload the page.':
    "Die Bridge hat keinen brauchbaren Plan für „{0}“ geliefert. Die Seite neu laden.",

  // What models are shown
  "Choose what models are shown": "Auswählen, was Modelle sehen",
  "There are no tools yet.": "Es gibt noch keine Tools.",
  "Your one tool is shown to models.": "Modelle sehen das eine Tool.",
  "All {0} tools are shown to models.": "Modelle sehen alle {0} Tools.",
  "{0} of {1} tools is shown to models|{0} of {1} tools are shown to models":
    "Modelle sehen {0} von {1} Tools|Modelle sehen {0} von {1} Tools",
  "{0}; the others are left out by your choice.": "{0}; die übrigen sind durch die Auswahl ausgelassen.",
  "{0}; the others are found by find_operations.": "{0}; die übrigen findet find_operations.",
  "{1}; {0} is found by find_operations, the others are left out by your choice.|{1}; {0} are found by find_operations, the others are left out by your choice.":
    "{1}; {0} weiteres findet find_operations, die übrigen sind durch die Auswahl ausgelassen.|{1}; {0} weitere findet find_operations, die übrigen sind durch die Auswahl ausgelassen.",
  "{0} ({1}) will be searched: models find its operations with find_operations, and run them with run_operation.":
    "{0} ({1}) ist dann nur über die Suche zu finden: Modelle finden die Operationen mit find_operations und führen sie mit run_operation aus.",
  "These are listed now, and will be searched: {0}.": "Jetzt aufgelistet und dann nur über die Suche zu finden: {0}.",
  "Your other tool stays listed.|Your other {0} tools stay listed.":
    "Das andere Tool bleibt aufgelistet.|Die anderen {0} Tools bleiben aufgelistet.",
  "Models get these tools": "Modelle bekommen diese Tools",
  "as there is room": "je nach Platz",
  "by name, before others": "mit Namen, vor anderen",
  "by search": "über die Suche",
  "Of the {0} pinned tools, the last {1} have no room: pin those first that matter most.":
    "Von den {0} angehefteten Tools haben die letzten {1} keinen Platz: die wichtigsten zuerst anheften.",
  "{0} tools exceed the limit of {1}.": "{0} Tools überschreiten die Grenze von {1}.",
  "Their definitions take more than {0} tokens.": "Ihre Definitionen brauchen mehr als {0} Tokens.",
  "Programs receive": "Programme bekommen",
  "in /openapi.json and /mcp: {0} and, of the bridge's own, {1}":
    "in /openapi.json und /mcp: {0} und von den eigenen der Bridge {1}",
  Accepted: "Akzeptiert",
  "only these run; the chat and /v1 list {0} of them": "nur diese laufen; der Chat und /v1 listen {0} davon auf",
  "Not decided": "Nicht entschieden",
  "listed for programs; a call says that you have to accept the operation first":
    "für Programme aufgelistet; ein Aufruf antwortet, dass die Operation zuerst akzeptiert werden muss",
  "Found by search": "Über die Suche gefunden",
  "by find_operations, when they are not listed": "durch find_operations, wenn sie nicht aufgelistet sind",
  "Left out": "Ausgelassen",
  "by your choice below": "durch die Auswahl unten",
  Declined: "Abgelehnt",
  "listed nowhere": "nirgends aufgelistet",

  // The bridge
  "The bridge has been silent for too long.": "Die Bridge hat zu lange geschwiegen.",
  "The executor could not be started.": "Der Executor ließ sich nicht starten.",
  "The bridge refuses to start the executor.": "Die Bridge lehnt es ab, den Executor zu starten.",
  '"{0}" is not a worker script of this bridge.': "„{0}“ ist kein Worker-Skript dieser Bridge.",
};
