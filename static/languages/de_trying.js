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
};
