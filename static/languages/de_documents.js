// @ts-check
/** German texts of taking in a document: how far it is, and what it wants. */

/** @type {Record<string, string>} */
export const GERMAN_DOCUMENTS = {
  "Bearer token": "Bearer-Token",
  "Key for the query parameter {0}": "Schlüssel für den Query-Parameter {0}",
  "Key for the header {0}": "Schlüssel für den Header {0}",
  "Key of this API": "Schlüssel dieser API",
  "This API wants a key": "Diese API will einen Schlüssel",
  "Stored encrypted in this browser when you accept, and sent only to {0}. You can also add it later.":
    "Wird beim Akzeptieren verschlüsselt in diesem Browser gespeichert und nur an {0} gesendet. Er lässt sich auch später hinzufügen.",
  "Reading {0} of the document…": "{0} des Dokuments werden gelesen …",
  "Cancelled. Nothing was added.": "Abgebrochen. Es wurde nichts hinzugefügt.",
  "{0} was added before you cancelled. Nothing of it is accepted.":
    "{0} wurde hinzugefügt, bevor abgebrochen wurde. Davon ist nichts akzeptiert.",
};
