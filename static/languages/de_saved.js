// @ts-check
/** German texts of saved requests: what is expected, shared, exported. */

/** @type {Record<string, string>} */
export const GERMAN_SAVED = {
  // What is expected of an answer
  Expect: "Erwarten",
  "Expected of the answer: {0}": "Erwartet von der Antwort: {0}",
  "Empty: any below 400.": "Leer: jeder unter 400.",
  "Milliseconds at most": "Millisekunden höchstens",
  Values: "Werte",
  "A line for each: a query (JMESPath), “ = ” and JSON, such as length(items) = 3":
    "Eine Zeile für jeden: eine Abfrage (JMESPath), „ = “ und JSON, etwa length(items) = 3",
  "At most {0} values can be expected.": "Höchstens {0} Werte können erwartet werden.",
  "Write each value as QUERY = JSON, not “{0}”.": "Jeden Wert als ABFRAGE = JSON schreiben, nicht „{0}“.",
  "The value of “{0}” is not JSON. A text stands in quotes.":
    "Der Wert von „{0}“ ist kein JSON. Ein Text steht in Anführungszeichen.",

  // Checked
  "Check: {0}": "Prüfen: {0}",
  "As expected.": "Wie erwartet.",
  "Not as expected:": "Nicht wie erwartet:",
  "below 400": "unter 400",
  "Status {0}, expected {1}.": "Status {0}, erwartet {1}.",
  "It took {0} ms, expected {1} ms at most.": "Dauerte {0} ms, erwartet höchstens {1} ms.",
  "{0}: {1}, expected {2}.": "{0}: {1}, erwartet {2}.",
  "The call ended without an answer.": "Der Aufruf endete ohne Antwort.",
  "The values of an error are checked by tool-bridge run.": "Die Werte eines Fehlers prüft tool-bridge run.",
  "These queries are too long for the page; tool-bridge run checks them.":
    "Diese Abfragen sind zu lang für die Seite; tool-bridge run prüft sie.",

  // Shared with all
  "Shared requests": "Geteilte Anfragen",
  "Shared with all who have this API": "Geteilt mit allen, die diese API haben",
  "Share with all": "Mit allen teilen",
  "Share with all: {0}": "Mit allen teilen: {0}",
  "{0} is shared with all who have this API": "{0} ist mit allen geteilt, die diese API haben",
  "Stop sharing": "Nicht mehr teilen",
  "Stop sharing {0}": "{0} nicht mehr teilen",
  "Keep a copy": "Kopie behalten",
  "Keep a copy: {0}": "Kopie behalten: {0}",
  "Everybody who has this API reads and runs these. Arguments with a secret name are left out.":
    "Wer diese API hat, liest sie und führt sie aus. Argumente mit geheimem Namen bleiben weg.",
  "The owner of this API shares these. Read the values before you run them.":
    "Der Eigentümer dieser API teilt sie. Die Werte vor dem Ausführen lesen.",
  "Others chose these values. Read them before you run it.":
    "Andere haben diese Werte gewählt. Vor dem Ausführen lesen.",

  // The file
  Import: "Importieren",
  "This is not a file of saved requests.": "Das ist keine Datei mit gespeicherten Anfragen.",
  "Request {0} of the file cannot be read.": "Anfrage {0} der Datei ist nicht lesbar.",
  "Nothing of this API is saved in this browser.": "Von dieser API ist in diesem Browser nichts gespeichert.",
  "{0} request is imported|{0} requests are imported": "{0} Anfrage importiert|{0} Anfragen importiert",
  "There is no tool {0}, which “{1}” calls. Nothing is imported.":
    "Es gibt kein Tool {0}, das „{1}“ aufruft. Nichts wurde importiert.",
};
