// @ts-check
/** German of a server's environments: addresses, variables, the switch. */

/** @type {Record<string, string>} */
export const GERMAN_ENVIRONMENTS = {
  // The switch
  Environment: "Umgebung",
  Switch: "Wechseln",
  "Switching…": "Wird gewechselt …",
  "None · {0}": "Keine · {0}",
  "{0} is in use": "{0} ist in Gebrauch",
  "No environment is in use": "Keine Umgebung ist in Gebrauch",
  "Sent as it stands: {0}. {1} has no such variable.": "Unverändert gesendet: {0}. {1} hat keine solche Variable.",
  "Sent as it stands: {0}. No environment is in use.": "Unverändert gesendet: {0}. Keine Umgebung ist in Gebrauch.",
  "Expected a number: the environment in use has none for {0}.":
    "Hier wird eine Zahl erwartet: Die Umgebung in Gebrauch hat keine für {0}.",

  // At the server
  Environments: "Umgebungen",
  "The same API at other addresses, with variables for the forms of its tools. They stay in this browser. Switching saves the address for models too.":
    "Dieselbe API unter anderen Adressen, mit Variablen für die Formulare ihrer Tools. Sie bleiben in diesem Browser. Ein Wechsel speichert die Adresse auch für Modelle.",
  "Edit {0}": "{0} bearbeiten",
  "Edit the environments": "Umgebungen bearbeiten",
  "Add an environment": "Umgebung hinzufügen",
  "It may have variables in braces, for example https://{region}.api.example/v1.":
    "Sie darf Variablen in geschweiften Klammern haben, zum Beispiel https://{region}.api.example/v1.",
  Variables: "Variablen",
  "One a line: name = value. In Try it, {{name}} becomes the value just before the request. Secrets of the API belong under Credentials: variables are not encrypted, and the bridge sees where they are used.":
    "Eine je Zeile: Name = Wert. Im Formular eines Tools wird {{name}} kurz vor der Anfrage zum Wert. Geheimnisse der API gehören unter Zugangsdaten: Variablen sind nicht verschlüsselt, und die Bridge sieht sie, wo sie benutzt werden.",
  "Save and use": "Speichern und verwenden",
  "Sends the credentials saved for {0}: {1}.": "Sendet die für {0} gespeicherten Zugangsdaten: {1}.",
  "No credential is saved for {0}.": "Für {0} sind keine Zugangsdaten gespeichert.",

  // What is wrong
  "Give the environment a name.": "Die Umgebung braucht einen Namen.",
  "A name has at most {0} characters, an address {1}.": "Ein Name hat höchstens {0} Zeichen, eine Adresse {1}.",
  "A base address has no “?” and no “#”.": "Eine Basisadresse hat kein „?“ und kein „#“.",
  "There is an environment named {0} already.": "Eine Umgebung namens {0} gibt es schon.",
  "A server has at most {0} environments.": "Ein Server hat höchstens {0} Umgebungen.",
  "An environment has at most {0} variables.": "Eine Umgebung hat höchstens {0} Variablen.",
  "The address of a shared server is changed by its owner or an operator.":
    "Die Adresse eines geteilten Servers ändert sein Eigentümer oder ein Betreiber.",
  "The base address has {{0}}, and no variable has this name.":
    "Die Basisadresse hat {{0}}, und keine Variable heißt so.",
  "The variable {0} is there twice.": "Die Variable {0} steht zweimal da.",
  "“{0}…” is no variable. Write name = value, the name of letters, digits, “_”, “-” and “.”.":
    "„{0}…“ ist keine Variable. Schreiben: Name = Wert, der Name aus Buchstaben, Ziffern, „_“, „-“ und „.“.",
  "The value of {0} is longer than {1} characters.": "Der Wert von {0} ist länger als {1} Zeichen.",
};
