// @ts-check
/** German of tools: the list, the form of arguments, trying a tool, and the choice of what models are shown. */

/** @type {Record<string, string>} */
export const GERMAN_TOOLS = {
  // The list
  "All tools": "Alle Tools",
  "Shown to models": "Für Modelle sichtbar",
  "Not shown": "Nicht sichtbar",
  Tag: "Tag",
  "All tags": "Alle Tags",
  "No tool matches.": "Kein Tool passt.",
  paused: "pausiert",
  "Pin {0}": "{0} anheften",
  "Pinned: shown to models. Press to unpin": "Angeheftet: Modelle sehen es. Zum Lösen drücken",
  "Always show it to models, even when there are too many tools to show all":
    "Modellen immer zeigen, auch wenn es zu viele Tools sind, um alle zu zeigen",
  "{0} is pinned.": "{0} ist angeheftet.",
  "{0} is no longer pinned.": "{0} ist nicht mehr angeheftet.",
  Choose: "Auswählen",
  "Choose which tools are shown to models": "Auswählen, welche Tools Modelle sehen",
  "Choose a tool to see its arguments and try it.":
    "Ein Tool auswählen, um seine Argumente zu sehen und es auszuprobieren.",
  "There is no tool named {0}.": "Es gibt kein Tool namens {0}.",

  // A query of the answer
  "Choose from the answer": "Aus der Antwort auswählen",
  "Query (JMESPath)": "Abfrage (JMESPath)",
  "You see what it selects. The API and the stored answer do not change.":
    "Angezeigt wird, was sie auswählt. An der API und der gespeicherten Antwort ändert sich nichts.",
  "The language": "Die Abfragesprache",

  // A tool
  credential: "Zugangsdaten",
  "no credential": "keine Zugangsdaten",
  "Sends your credential as {0}.": "Sendet die Zugangsdaten als {0}.",
  "Sends the credential that goes with every request of this server.":
    "Sendet die Zugangsdaten, die mit jeder Anfrage dieses Servers gehen.",
  "Takes a credential ({0}), and none is saved in this browser.":
    "Nimmt Zugangsdaten an ({0}); in diesem Browser sind keine gespeichert.",
  "Needs a credential ({0}), and none is saved in this browser.":
    "Braucht Zugangsdaten ({0}); in diesem Browser sind keine gespeichert.",
  "You have not accepted this operation, so no model can use it.":
    "Diese Operation ist nicht akzeptiert, darum kann kein Modell sie benutzen.",
  "Try {0}": "{0} ausprobieren",
  Run: "Ausführen",
  "Run ({0})": "Ausführen ({0})",
  "A link filled this form. Read its values before you run it.":
    "Ein Link hat dieses Formular ausgefüllt. Vor dem Ausführen die Werte lesen.",
  "Run what a link filled in?": "Ausführen, was ein Link ausgefüllt hat?",
  "It can change data. Run it only if you expected this link and want exactly this.":
    "Es kann Daten ändern. Nur ausführen, wenn der Link erwartet war und genau das gewollt ist.",
  "Do not run it": "Nicht ausführen",
  "Run it ({0})": "Ausführen ({0})",
  "Deadline and parallel calls": "Frist und gleichzeitige Aufrufe",
  "Waiting for other calls to the same host…": "Wartet auf andere Aufrufe desselben Hosts …",
  "Waiting for your approval, at the top of the page…": "Wartet auf Freigabe, oben auf der Seite …",
  "The call succeeded": "Der Aufruf ist gelungen",
  "The call failed": "Der Aufruf ist fehlgeschlagen",
  "Cancelled. The bridge stops the request in the browser.": "Abgebrochen. Die Bridge hält die Anfrage im Browser an.",
  "Responses in the document": "Antworten laut Dokument",
  "The document says nothing about its responses.": "Das Dokument sagt nichts über seine Antworten.",
  "No description": "Keine Beschreibung",
  "Made up from the schema": "Aus dem Schema erzeugt",
  "Example of the document": "Beispiel aus dem Dokument",
  Schema: "Schema",

  // The form
  "What is wrong": "Was nicht stimmt",
  "{0} arguments need attention:": "{0} Argumente sind noch nicht in Ordnung:",
  "Arguments as JSON": "Argumente als JSON",
  "Edit as JSON": "Als JSON bearbeiten",
  "Back to the form": "Zurück zum Formular",
  "Fill with example": "Mit Beispiel füllen",
  "The form is filled with example values": "Das Formular ist mit Beispielwerten gefüllt",
  Clear: "Leeren",
  "Clear the form": "Formular leeren",
  "Clear the search": "Suche leeren",
  "This tool takes no arguments.": "Dieses Tool nimmt keine Argumente.",
  'The arguments must be one JSON object, such as {"id": 7}.':
    'Die Argumente müssen ein JSON-Objekt sein, etwa {"id": 7}.',
  "{0} optional field|{0} optional fields": "{0} optionales Feld|{0} optionale Felder",
  "{0} more optional field|{0} more optional fields": "{0} weiteres optionales Feld|{0} weitere optionale Felder",
  Required: "Pflicht",
  ", required": ", Pflicht",
  "default: {0}": "Standard: {0}",
  "for example {0}": "zum Beispiel {0}",
  "(not set)": "(nicht gesetzt)",
  "(not set; default {0})": "(nicht gesetzt; Standard {0})",
  "{0} is null": "{0} ist null",
  "Form of {0}": "Form von {0}",
  "Further properties": "Weitere Eigenschaften",
  "JSON object": "JSON-Objekt",
  "Add text or an address": "Text oder Adresse hinzufügen",
  "Add an item": "Eintrag hinzufügen",
  "Add another": "Weiteren hinzufügen",
  "Add an item to {0}": "Eintrag zu {0} hinzufügen",
  "This argument is required.": "Dieses Argument ist Pflicht.",
  "Add at least {0} item.|Add at least {0} items.":
    "Mindestens {0} Eintrag hinzufügen.|Mindestens {0} Einträge hinzufügen.",
  "At most {0} item fits.|At most {0} items fit.": "Höchstens {0} Eintrag passt.|Höchstens {0} Einträge passen.",
  "Expected a whole number.": "Hier gehört eine ganze Zahl hin.",
  "Expected a number.": "Hier gehört eine Zahl hin.",
  'Expected a JSON object such as {"name": "value"}.': 'Hier gehört ein JSON-Objekt hin, etwa {"name": "value"}.',
  "Expected a JSON list such as [1, 2].": "Hier gehört eine JSON-Liste hin, etwa [1, 2].",
  "This is not JSON: {0}. A string needs quotation marks.":
    "Das ist kein JSON: {0}. Ein String braucht Anführungszeichen.",
  'Further properties must be a JSON object such as {"name": "value"}.':
    'Weitere Eigenschaften müssen ein JSON-Objekt sein, etwa {"name": "value"}.',

  // Files
  File: "Datei",
  "Choose a file": "Datei wählen",
  "Choose files": "Dateien wählen",
  " for {0}": " für {0}",
  "or drop it here; at most {0}": "oder hier ablegen; höchstens {0}",
  "or drop them here; each at most {0}": "oder hier ablegen; jede höchstens {0}",
  "{0}: chosen for {1}": "{0}: gewählt für {1}",
  "Remove the file {0}": "Datei {0} entfernen",
  "Name and type": "Name und Typ",
  "Give its text or its address instead": "Stattdessen ihren Text oder ihre Adresse angeben",
  "Choose a file, or give its text or address.": "Eine Datei wählen oder ihren Text oder ihre Adresse angeben.",
  "{0} has {1}. A call takes files of at most {2}; give the address of a larger one.":
    "{0} hat {1}. Ein Aufruf nimmt Dateien bis {2}; von einer größeren die Adresse angeben.",
  "The arguments have {0}; a call takes at most {1}. Choose smaller files, or give their addresses.":
    "Die Argumente haben {0}; ein Aufruf nimmt höchstens {1}. Kleinere Dateien wählen oder ihre Adressen angeben.",

  // The request
  "Show the request": "Anfrage anzeigen",
  "Show the request as": "Anfrage anzeigen als",
  "Tool call": "Tool-Aufruf",
  "Bridge call": "Bridge-Aufruf",
  "Request as {0}": "Anfrage als {0}",
  "Copy as {0}": "Als {0} kopieren",
  "This is what the browser sends. Credentials are never shown: a variable stands for each.":
    "Das sendet der Browser. Zugangsdaten sind nie zu sehen: An ihrer Stelle steht eine Variable.",
  "These are the arguments. The page puts them into a message of MCP; Calls shows it.":
    "Das sind die Argumente. Die Seite setzt sie in eine Nachricht von MCP; sie steht unter Aufrufe.",
  "Not sent: {0} {1}. {2}": "Nicht gesendet: {0} {1}. {2}",

  // Saved requests and earlier calls
  "Saved requests and earlier calls": "Gespeicherte Anfragen und frühere Aufrufe",
  "Saved requests": "Gespeicherte Anfragen",
  "Save the request": "Anfrage speichern",
  "Save what is in the form": "Formular speichern",
  "Saved in this browser only.": "Nur in diesem Browser gespeichert.",
  "Nothing is saved yet.": "Noch nichts gespeichert.",
  "It was not called in the last 30 days.": "In den letzten 30 Tagen nicht aufgerufen.",
  "{0} is deleted": "{0} ist gelöscht",
  "{0} is saved again": "{0} ist wieder gespeichert",
  "{0} is saved in this browser": "{0} ist in diesem Browser gespeichert",
  "the call of {0}": "Aufruf ({0})",
  "Run again": "Noch einmal ausführen",
  "Run again: {0}": "Noch einmal ausführen: {0}",
  "Edit: {0}": "Bearbeiten: {0}",
  "Delete {0}": "{0} löschen",
  "Its arguments were too long to store.": "Die Argumente waren zu lang zum Speichern.",
  Share: "Teilen",
  "Share a link to this form": "Link zu diesem Formular teilen",
  "Link to this form": "Link zu diesem Formular",
  "The link is copied": "Der Link ist kopiert",
  "It opens for people who use this bridge and have the tool.":
    "Er öffnet sich für alle, die diese Bridge benutzen und das Tool haben.",
  "Left out: {0}.": "Nicht enthalten: {0}.",
  "the file": "die Datei",
  "the file {0}": "die Datei {0}",
  "These arguments are too long for a link. Save them by name instead.":
    "Diese Argumente sind für einen Link zu lang. Stattdessen unter einem Namen speichern.",

  // What models are shown
  "Most models take at most 128 tools, and each one costs tokens in every request. If you have more, models see the pinned ones and the servers that fit, and find and run the others with find_operations and run_operation. An accepted tool that is not shown can still be called by name, also in the chat: to keep an operation from running, do not accept it.":
    "Die meisten Modelle nehmen höchstens 128 Tools, und jedes kostet in jeder Anfrage Tokens. Sind es mehr, sehen Modelle die angehefteten und die Server, für die Platz ist, und finden und benutzen die übrigen mit find_operations und run_operation. Auch ein akzeptiertes Tool, das nicht zu sehen ist, lässt sich mit seinem Namen aufrufen, auch im Chat: Soll eine Operation nicht laufen, darf sie nicht akzeptiert sein.",
  "Listed or searched": "Aufgelistet oder gesucht",
  "Each server as a whole. Adding one changes none of the others while they fit; servers in use come first, then small ones.":
    "Jeder Server als Ganzes. Ein neuer ändert an den anderen nichts, solange sie passen; benutzte Server kommen zuerst, dann kleine.",
  "{0} tool, listed|{0} tools, listed": "{0} Tool, aufgelistet|{0} Tools, aufgelistet",
  "{0} tool, found by search|{0} tools, found by search":
    "{0} Tool, über die Suche zu finden|{0} Tools, über die Suche zu finden",
  "Pinned tools": "Angeheftete Tools",
  "Shown even when there are too many tools to show all.":
    "Immer zu sehen, auch wenn es zu viele Tools sind, um alle zu zeigen.",
  "Pin a tool": "Tool anheften",
  "None.": "Keine.",
  "Only tools of these servers.": "Nur Tools dieser Server.",
  "Add a server by its id": "Server mit seiner ID hinzufügen",
  "All servers.": "Alle Server.",
  Tags: "Tags",
  "Only tools with one of these tags.": "Nur Tools mit einem dieser Tags.",
  "Add a tag": "Tag hinzufügen",
  "All tags.": "Alle Tags.",
  Names: "Namen",
  "Only tools with one of these names. * stands for any characters: list*, *Issue*.":
    "Nur Tools mit einem dieser Namen. * steht für beliebige Zeichen: list*, *Issue*.",
  "Add a name or pattern": "Name oder Muster hinzufügen",
  "All names.": "Alle Namen.",
  Limits: "Grenzen",
  "Maximum number of tools": "Höchstzahl von Tools",
  "Including the bridge's own tools. Empty: as set when the bridge was started.":
    "Mit den eigenen Tools der Bridge. Leer: wie beim Start der Bridge gesetzt.",
  "Maximum number of tokens": "Höchstzahl von Tokens",
  "For all definitions, at four characters per token. Empty: as set when the bridge was started.":
    "Für alle Definitionen, mit vier Zeichen pro Token. Leer: wie beim Start der Bridge gesetzt.",
  "no limit": "keine Grenze",
  "Saved.": "Gespeichert.",
  "Saved. {0}": "Gespeichert. {0}",
  "GET /openapi.json, for Open WebUI": "GET /openapi.json, für Open WebUI",
  "tools/list of /mcp, for MCP clients": "tools/list von /mcp, für MCP-Clients",
  "Tools of a model behind /v1": "Tools eines Modells hinter /v1",
  "Preview what they receive": "Vorschau: was sie bekommen",
  As: "Als",
  "What they receive": "Was sie bekommen",
  "Their definitions take about {0} of every request. The longest: {1}.":
    "Ihre Definitionen brauchen in jeder Anfrage etwa {0}. Die längsten: {1}.",

  // What the bridge says of an argument's limits
  "Value {0}.": "Wert {0}.",
  "Length {0}.": "Länge {0}.",
  "Number of items {0}.": "Anzahl der Einträge {0}.",
  "Number of keys {0}.": "Anzahl der Schlüssel {0}.",
  "Multiple of {0}.": "Vielfaches von {0}.",
  "Must be: {0}.": "Muss sein: {0}.",
  "One of: {0}.": "Eines von: {0}.",
  "Pattern: {0}.": "Muster: {0}.",
  "Format: {0}.": "Format: {0}.",
  "Encoding: {0}.": "Kodierung: {0}.",
  "Content: {0}.": "Inhalt: {0}.",
  "Example: {0}.": "Beispiel: {0}.",
  "Needs exactly one of: {0}.": "Braucht genau eines von: {0}.",
  "Needs at least one of: {0}.": "Braucht mindestens eines von: {0}.",
  "No item twice.": "Kein Eintrag doppelt.",
  "Deprecated.": "Veraltet.",
  "Required when a body is sent.": "Erforderlich, wenn ein Body gesendet wird.",
  "May be null.": "Darf null sein.",
};
