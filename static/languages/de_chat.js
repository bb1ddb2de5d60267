// @ts-check
/** German of the chat: conversations, messages, answers and their calls. */

/** @type {Record<string, string>} */
export const GERMAN_CHAT = {
  // Conversations
  Conversation: "Unterhaltung",
  Conversations: "Unterhaltungen",
  "New conversation": "Neue Unterhaltung",
  Title: "Titel",
  "More about this conversation": "Mehr zu dieser Unterhaltung",
  Pin: "Anheften",
  Unpin: "Lösen",
  Pinned: "Angeheftet",
  "Move up": "Nach oben",
  "Among the pinned conversations": "Unter den angehefteten Unterhaltungen",
  Delete: "Löschen",
  "“{0}” is deleted": "„{0}“ ist gelöscht",
  "“{0}” is back": "„{0}“ ist wieder da",
  "Export as JSON": "Als JSON exportieren",
  "Export as Markdown": "Als Markdown exportieren",
  "Conversation exported as a file.": "Unterhaltung als Datei exportiert.",
  "No matches.": "Keine Treffer.",
  "answering…": "antwortet …",
  "The connection to the bridge is lost. This page continues as soon as it is back.":
    "Die Verbindung zur Bridge ist abgerissen. Sobald sie wieder steht, geht es hier weiter.",
  "The last message has no answer.": "Die letzte Nachricht hat keine Antwort.",
  "Answer it": "Beantworten",

  // Its file
  conversation: "Unterhaltung",
  "Model: {0}": "Modell: {0}",
  You: "Eigene Nachricht",
  Answer: "Antwort",
  "Attachment {0} ({1}, {2}), not included": "Anhang {0} ({1}, {2}), nicht enthalten",
  "The contents of attachments, and of files that tools answered with.":
    "Die Inhalte der Anhänge und der Dateien, mit denen Tools geantwortet haben.",
  "Call of {0}: {1}": "Aufruf von {0}: {1}",
  expired: "Frist abgelaufen",

  // Its settings
  "Conversation settings": "Einstellungen der Unterhaltung",
  "System prompt": "System-Prompt",
  "Instructions that the model gets before every answer.": "Anweisungen, die das Modell vor jeder Antwort bekommt.",
  "Search tools": "Tools suchen",
  "Tools: {0} of {1}": "Tools: {0} von {1}",
  None: "Keine",
  "There are no accepted tools.": "Es gibt keine akzeptierten Tools.",
  "{0} more: search to find them.|{0} more: search to find them.":
    "{0} weiteres: über die Suche zu finden.|{0} weitere: über die Suche zu finden.",
  "Model parameters": "Parameter des Modells",
  Temperature: "Temperatur",
  "0 to 2. Lower is more predictable.": "0 bis 2. Niedriger heißt vorhersagbarer.",
  "Top P": "Top P",
  "0 to 1. Set this or the temperature.": "0 bis 1. Entweder das oder die Temperatur setzen.",
  "Maximum tokens": "Höchstzahl an Tokens",
  "Of one answer, with its reasoning.": "Einer Antwort, einschließlich der Überlegungen.",
  "Reasoning effort": "Aufwand für Überlegungen",
  "More effort answers later and costs more.": "Mehr Aufwand heißt: spätere Antwort und höhere Kosten.",

  // Writing
  "New message": "Neue Nachricht",
  Message: "Nachricht",
  "Ask something": "Etwas fragen",
  Send: "Senden",
  Stop: "Stoppen",
  Escape: "Esc",
  "Add a model": "Modell hinzufügen",
  Attach: "Anhängen",
  Attachments: "Anhänge",
  "Files to attach": "Dateien zum Anhängen",
  "Pictures, documents and texts for the model; any file for tools":
    "Bilder, Dokumente und Texte für das Modell; beliebige Dateien für Tools",
  "{1} is attached|{0} files are attached": "{1} ist angehängt|{0} Dateien sind angehängt",
  "{0} cannot be read.": "{0} ist nicht lesbar.",
  "{0} has {1}; a file may have {2}.": "{0} hat {1}; eine Datei darf {2} haben.",
  "A message may have {0} files.": "Eine Nachricht darf {0} Dateien haben.",
  "The files of a message may have {0} together.": "Die Dateien einer Nachricht dürfen zusammen {0} haben.",
  Download: "Herunterladen",
  "Download {0}": "{0} herunterladen",

  // Messages and answers
  Edit: "Bearbeiten",
  "Edit the message": "Nachricht bearbeiten",
  "Copy the message": "Nachricht kopieren",
  "The old version and its answers remain.": "Die alte Fassung und ihre Antworten bleiben.",
  "Copy the answer": "Antwort kopieren",
  Regenerate: "Neu erzeugen",
  Versions: "Fassungen",
  "Previous version": "Vorige Fassung",
  "Next version": "Nächste Fassung",
  "Version {0} of {1}": "Fassung {0} von {1}",
  Answers: "Antworten",
  "Previous answer": "Vorige Antwort",
  "Next answer": "Nächste Antwort",
  "Answer {0} of {1}": "Antwort {0} von {1}",
  Attempts: "Versuche",
  "Previous attempt": "Voriger Versuch",
  "Next attempt": "Nächster Versuch",
  "Attempt {0} of {1}": "Versuch {0} von {1}",
  "After {0}": "Nach {0}",
  "Working…": "Arbeitet …",
  "Thinking…": "Überlegt …",
  "Stopped. The text so far remains.": "Gestoppt. Der bisherige Text bleibt.",
  "The answer failed.": "Die Antwort ist fehlgeschlagen.",
  "The answer broke off here.": "Die Antwort ist hier abgebrochen.",
  "The answer ended at the round limit. Send another message to continue.":
    "Die Antwort endete an der Rundengrenze. Mit einer weiteren Nachricht geht es weiter.",
  "The answer ended: {0}.": "Die Antwort ist zu Ende: {0}.",
  "A call needs you {0}": "Ein Aufruf wartet auf Freigabe {0}",
  "Jump to latest ↓": "Zum Neuesten ↓",

  // What is read aloud
  "The model is answering.": "Das Modell antwortet.",
  "Calling {0}.": "{0} wird aufgerufen.",
  "A call did not succeed.|{0} calls did not succeed.":
    "Ein Aufruf ist nicht gelungen.|{0} Aufrufe sind nicht gelungen.",
  "The answer is complete. {0}": "Die Antwort ist vollständig. {0}",
  "The answer was stopped.": "Die Antwort wurde gestoppt.",
  "The answer reached the round limit.": "Die Antwort hat die Rundengrenze erreicht.",

  // Calls within an answer
  "Call of {0}": "Aufruf von {0}",
  sent: "gesendet",
  "needs approval": "Freigabe nötig",
  stopped: "gestoppt",
  "too late": "zu spät",
  interrupted: "unterbrochen",
  "Stop: {0}": "Stoppen: {0}",
  "Try again: {0}": "Noch einmal versuchen: {0}",
  "Try it again": "Noch einmal versuchen",
  "It may have taken effect, and could take effect a second time.":
    "Er hat vielleicht gewirkt und könnte ein zweites Mal wirken.",
  Result: "Ergebnis",
  "Show in the call log": "Im Protokoll der Aufrufe zeigen",
  "Show the picture from {0}": "Bild von {0} anzeigen",
  "Picture from {0}": "Bild von {0}",
  "Show the audio from {0}": "Ton von {0} anzeigen",
  "Audio from {0}": "Ton von {0}",
  "Show the video from {0}": "Video von {0} anzeigen",
  "Video from {0}": "Video von {0}",
  "Download the file from {0}": "Datei von {0} herunterladen",

  // Where nothing is said yet
  "No tool is accepted yet, so the model can only talk. {0} to give it some.":
    "Noch ist kein Tool akzeptiert, darum kann das Modell nur reden. {0}, um ihm welche zu geben.",
  "Review the servers": "Server durchsehen",
  "The model may use your one tool. This browser performs the calls; those that can change something ask you first.|The model may use your {0} tools. This browser performs the calls; those that can change something ask you first.":
    "Das Modell darf das eine vorhandene Tool benutzen. Dieser Browser führt die Aufrufe aus; solche, die etwas ändern können, fragen vorher.|Das Modell darf die {0} vorhandenen Tools benutzen. Dieser Browser führt die Aufrufe aus; solche, die etwas ändern können, fragen vorher.",
  "It finds {0} of them by search.|It finds {0} of them by search.":
    "Eines davon ({0}) findet es über die Suche.|{0} davon findet es über die Suche.",
  "To talk with a real model, {0}: OpenAI, OpenRouter, a local one, or any other with their interface.":
    "Für echte Antworten {0}: OpenAI, OpenRouter, ein lokales oder jedes andere mit derselben Schnittstelle.",
  "add a model": "ein Modell hinzufügen",
  "All of them together": "Alle zusammen",
  "The demo model needs no network and no key. It goes by rules and understands plain requests such as these:":
    "Das Demo-Modell braucht kein Netz und keinen Schlüssel. Es arbeitet nach Regeln und versteht einfache Bitten wie diese:",
  "When does the shop open?": "Wann hat der Laden geöffnet?",
  "Show me all vegan products": "Zeig mir alle veganen Produkte",
  "How warm is it in the bedroom?": "Wie warm ist es im Schlafzimmer?",
  "Order 2 of product 1 for Ada": "Bestelle 2 Stück von Produkt 1 für Ada",
};
