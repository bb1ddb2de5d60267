// @ts-check
/** German of the providers of models. */

/** @type {Record<string, string>} */
export const GERMAN_MODELS = {
  "The chat and programs ask these models. Their keys stay on the bridge, encrypted; no page and no program reads them.":
    "Der Chat und Programme fragen diese Modelle. Ihre Schlüssel bleiben verschlüsselt auf der Bridge; keine Seite und kein Programm liest sie.",
  "Back to the chat": "Zurück zum Chat",
  "No models here": "Hier gibt es keine Modelle",
  "This bridge was started without models (--no-models): it has tools alone. Programs and Open WebUI use them as before.":
    "Diese Bridge wurde ohne Modelle gestartet (--no-models): Sie hat nur Werkzeuge. Programme und Open WebUI benutzen sie wie zuvor.",
  "Add a model provider": "Anbieter von Modellen hinzufügen",
  Change: "Ändern",
  "Change {0}": "{0} ändern",
  "Remove it": "Entfernen",
  "read-only": "schreibgeschützt",
  "Its models and its key are removed from the bridge. Conversations stay.":
    "Seine Modelle und sein Schlüssel werden von der Bridge entfernt. Unterhaltungen bleiben.",
  "All models it lists": "Alle Modelle, die er nennt",
  "{0} model: {1}|{0} models": "{0} Modell: {1}|{0} Modelle",
  "its key cannot be read any more: enter it again": "sein Schlüssel ist nicht mehr lesbar: neu eingeben",
  "key stored on the bridge": "Schlüssel auf der Bridge gespeichert",
  "no key": "kein Schlüssel",
  "set by the operator": "vom Betreiber eingerichtet",
  "shared by the operator": "vom Betreiber geteilt",
  "shared with all users": "mit allen Benutzern geteilt",

  // The form
  Provider: "Anbieter",
  "Ollama on this computer": "Ollama auf diesem Rechner",
  "LM Studio on this computer": "LM Studio auf diesem Rechner",
  "Another address": "Andere Adresse",
  "Up to and including the version. A server on this computer is one on the bridge's computer.":
    "Bis einschließlich der Version. Ein Server auf diesem Rechner ist einer auf dem Rechner der Bridge.",
  "API key": "API-Schlüssel",
  "Stored encrypted on the bridge and never sent back to a page. Local servers need none.":
    "Wird verschlüsselt auf der Bridge gespeichert und nie an eine Seite zurückgesendet. Lokale Server brauchen keinen.",
  "A key is stored on the bridge. Leave this empty to keep it.":
    "Ein Schlüssel ist auf der Bridge gespeichert. Leer lassen, um ihn zu behalten.",
  "Remove the stored key": "Gespeicherten Schlüssel entfernen",
  More: "Mehr",
  "Tells models of the same name apart.": "Unterscheidet Modelle gleichen Namens.",
  Protocol: "Protokoll",
  "Rules for tools": "Regeln für Tools",
  "Whose rules tools have to keep, as for a gateway. Automatic: by the address.":
    "Wessen Regeln Tools einhalten müssen, etwa hinter einem Gateway. Automatisch: nach der Adresse.",
  "OpenAI, models before GPT-4.1": "OpenAI, Modelle vor GPT-4.1",
  "No rules of their own": "Keine eigenen Regeln",
  "Strict tools": "Strikte Tools",
  "Where possible": "Wo möglich",
  "Turn them off if the provider refuses requests with tools. Automatic: by the address.":
    "Ausschalten, falls der Anbieter Anfragen mit Tools ablehnt. Automatisch: nach der Adresse.",
  "Longest description of a tool": "Längste Beschreibung eines Tools",
  "In characters; longer ones are cut. Empty: by the address.":
    "In Zeichen; längere werden gekürzt. Leer: nach der Adresse.",
  "Native tool search": "Eigene Tool-Suche des Modells",
  "Models of Responses search for tools by themselves, as GPT-5.4 and later do. Automatic: by their names.":
    "Modelle mit Responses suchen selbst nach Tools, wie GPT-5.4 und neuere. Automatisch: nach ihren Namen.",
  On: "Ein",
  "Enter a number from {0} to {1}, or nothing.": "Eine Zahl von {0} bis {1} eingeben, oder nichts.",
  "Share with all users of this bridge. They use it with this key.":
    "Mit allen Benutzern dieser Bridge teilen. Sie benutzen ihn mit diesem Schlüssel.",
  Test: "Testen",
  "Asking the provider…": "Anbieter wird gefragt …",
  "It answers, and lists no model.": "Er antwortet und nennt kein Modell.",
  "is called {0} there": "heißt dort {0}",
  "several types become forms of anyOf": "mehrere Typen werden zu Formen von anyOf",
  "words say what these keywords said: {0}": "diese Schlüsselwörter werden in Worte gefasst: {0}",
  "its description is cut from {0} to {1} characters": "die Beschreibung wird von {0} auf {1} Zeichen gekürzt",
  "One of {1} tools changes for this provider.|{0} of {1} tools change for this provider.":
    "Ein Tool von {1} ändert sich für diesen Anbieter.|{0} von {1} Tools ändern sich für diesen Anbieter.",
  "It answers, and lists one model.|It answers, and lists {0} models.":
    "Er antwortet und nennt ein Modell.|Er antwortet und nennt {0} Modelle.",
  "Saving…": "Wird gespeichert …",
  "The provider is saved": "Der Anbieter ist gespeichert",
  "Enter a name.": "Einen Namen eingeben.",
  "A name has no spaces and no slash.": "Ein Name hat keine Leerzeichen und keinen Schrägstrich.",
  "There is a provider of that name.": "Einen Anbieter dieses Namens gibt es schon.",
  "Enter the address.": "Die Adresse eingeben.",
  "Enter an address such as https://api.openai.com/v1.": "Eine Adresse wie https://api.openai.com/v1 eingeben.",
  "Models to offer": "Angebotene Modelle",
  "Search models": "Modelle suchen",
  "None chosen: all are offered": "Keines gewählt: Alle werden angeboten",
  "{0} of {1} chosen": "{0} von {1} gewählt",
};
