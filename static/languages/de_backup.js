// @ts-check
/** German of moving to another browser: backups, codes, and what they would change. */

/** @type {Record<string, string>} */
export const GERMAN_BACKUP = {
  "Move to another browser": "In einen anderen Browser umziehen",
  "Back up what lives only in this browser, and take it over in another one.":
    "Was nur in diesem Browser liegt, sichern und in einem anderen übernehmen.",
  "Credentials, what you accepted, and environments live in one browser only. Pair the other one first, under {0}.":
    "Zugangsdaten, Annahmen und Umgebungen liegen nur in einem Browser. Den anderen zuerst koppeln, unter {0}.",

  "Credentials and what you accepted stay in the browser where they were saved: {0} takes them along.":
    "Zugangsdaten und Annahmen bleiben in dem Browser, in dem sie gespeichert wurden: „{0}“ nimmt sie mit.",

  // Backing up
  "Back up this browser": "Diesen Browser sichern",
  "Encrypted in this browser before it goes anywhere. The bridge cannot read it.":
    "In diesem Browser verschlüsselt, bevor es ihn verlässt. Die Bridge kann es nicht lesen.",
  "What to include": "Was hineinkommt",
  "{0} ({1})": "{0} ({1})",
  "Accepted operations": "Angenommene Operationen",
  "Permissions without asking": "Erlaubnisse ohne Rückfrage",
  "{0} login with OAuth stays here: log in again in the other browser.|{0} logins with OAuth stay here: log in again in the other browser.":
    "{0} Anmeldung mit OAuth bleibt hier: im anderen Browser neu anmelden.|{0} Anmeldungen mit OAuth bleiben hier: im anderen Browser neu anmelden.",
  "Nothing is chosen.": "Es ist nichts ausgewählt.",
  "As a file": "Als Datei",
  Passphrase: "Passphrase",
  "The same again": "Noch einmal dieselbe",
  "Make a passphrase": "Passphrase erzeugen",
  "Write it down: without it nobody can open the file, and nobody can replace it.":
    "Aufschreiben: Ohne sie kann niemand die Datei öffnen, und niemand kann sie ersetzen.",
  "At least {0} characters; {1} so far.": "Mindestens {0} Zeichen; bisher {1}.",
  "Weak: too much of it repeats. Use several words, or make one.":
    "Schwach: Zu viel davon wiederholt sich. Mehrere Wörter nehmen oder eine erzeugen lassen.",
  "Fair: two more words would make it strong.": "Mäßig: Zwei Wörter mehr würden sie stark machen.",
  "Strong.": "Stark.",
  "The two passphrases differ.": "Die beiden Passphrasen unterscheiden sich.",
  "Download the backup": "Sicherung herunterladen",
  "The backup is downloaded": "Die Sicherung ist heruntergeladen",
  "By a code": "Mit einem Code",
  "Stays with the bridge for ten minutes at most, sealed, and can be fetched once, by another browser of yours.":
    "Liegt höchstens zehn Minuten versiegelt bei der Bridge und kann einmal abgeholt werden, von einem anderen eigenen Browser.",
  "Show a code": "Code anzeigen",
  "The code is shown": "Der Code ist zu sehen",
  "It was fetched. If that was not you, replace the credentials at their APIs.":
    "Es wurde abgeholt. Wer das nicht selbst war, ersetzt die Zugangsdaten bei ihren APIs.",
  "The code is over. Show a new one.": "Der Code gilt nicht mehr. Einen neuen anzeigen.",
  "Type it in the other browser: Settings, Move to another browser. Show it to nobody: it opens everything that you chose.":
    "Im anderen Browser eingeben: Einstellungen, In einen anderen Browser umziehen. Niemandem zeigen: Er öffnet alles Ausgewählte.",

  // Restoring
  Restore: "Wiederherstellen",
  "You see what would be added or replaced first. Only restore what you made yourself.":
    "Zuerst ist zu sehen, was dazukäme oder ersetzt würde. Nur Selbstgemachtes wiederherstellen.",
  Backup: "Sicherung",
  "Its passphrase": "Ihre Passphrase",
  "Open the backup": "Sicherung öffnen",
  "Choose a file.": "Eine Datei auswählen.",
  "With a code": "Mit dem Code",
  "Code of the other browser": "Code des anderen Browsers",
  "Fetch it": "Abholen",
  "What the backup would change": "Was die Sicherung ändern würde",
  Made: "Gemacht",
  "In a browser of": "In einem Browser von",
  "At the bridge": "An der Bridge",
  "for every request to {0}": "für jede Anfrage an {0}",
  "{0}, for {1}": "{0}, für {1}",
  new: "neu",
  differs: "verschieden",
  "Keep mine": "Meines behalten",
  "Take the backup's": "Das der Sicherung nehmen",
  "Here: {0}.": "Hier: {0}.",
  "Saved here on {0}, in the backup on {1}.": "Hier gespeichert am {0}, in der Sicherung am {1}.",
  "{0} is here already, the same.|{0} are here already, the same.":
    "{0} ist schon hier, genauso.|{0} sind schon hier, genauso.",
  "Here is a login with OAuth. It would be replaced.": "Hier gibt es eine Anmeldung mit OAuth. Sie würde ersetzt.",
  "Nothing to take over": "Nichts zu übernehmen",
  "Take over {0} item|Take over {0} items": "{0} Eintrag übernehmen|{0} Einträge übernehmen",
  "{0} item is taken over.|{0} items are taken over.": "{0} Eintrag ist übernommen.|{0} Einträge sind übernommen.",
  "To the servers": "Zu den Servern",
  "This server is not among yours here. Add it first.": "Dieser Server ist hier nicht dabei. Zuerst hinzufügen.",
  "None of its operations is accepted here as it was. Review the server.":
    "Keine seiner Operationen ist hier so angenommen, wie sie war. Den Server prüfen.",
  "{0} of them changed since, or are not accepted here any more: review the server.":
    "{0} davon haben sich seither geändert oder sind hier nicht mehr angenommen: den Server prüfen.",

  // In the audit log
  "Contents of a browser moved": "Inhalt eines Browsers umgezogen",
  "handed over": "übergeben",
  "taken back": "zurückgenommen",
  fetched: "abgeholt",

  // What is wrong
  "The passphrase is wrong, or the file was changed.": "Die Passphrase ist falsch, oder die Datei wurde verändert.",
  "The code does not open what came through the bridge. Show a new code.":
    "Der Code öffnet nicht, was durch die Bridge kam. Einen neuen Code anzeigen.",
  "This is no backup of a browser made by this page.": "Das ist keine Sicherung eines Browsers von dieser Seite.",
  "This backup was made by a newer version of the bridge. Update this one, then try again.":
    "Diese Sicherung stammt von einer neueren Version der Bridge. Diese aktualisieren, dann noch einmal versuchen.",
  "This backup is incomplete or damaged. Copy the file again, whole.":
    "Diese Sicherung ist unvollständig oder beschädigt. Die Datei noch einmal ganz kopieren.",
  "This is larger than {0}. Choose less, or a file in place of a code.":
    "Das ist größer als {0}. Weniger auswählen oder eine Datei statt eines Codes nehmen.",
  "The content of this backup is not as this page writes it: nothing was taken over.":
    "Der Inhalt dieser Sicherung ist nicht so, wie diese Seite ihn schreibt: Nichts wurde übernommen.",
  "This is no code of a transfer: it has {0} letters and digits. Compare each group.":
    "Das ist kein Code eines Umzugs: Er hat {0} Buchstaben und Ziffern. Jede Gruppe vergleichen.",
};
