// @ts-check
/** German of entering, pairing, the user's browsers and the connection. */

/** @type {Record<string, string>} */
export const GERMAN_DEVICES = {
  "No other browser yet. Add one to run calls there, and to approve them.":
    "Noch kein anderer Browser. Ein weiterer kann Aufrufe ausführen und freigeben.",

  // Sections
  Servers: "Server",
  Tools: "Tools",
  Chat: "Chat",
  Connect: "Verbinden",
  Doctor: "Diagnose",
  "{0} · Tool Bridge": "{0} · Tool Bridge",
  "This section could not be loaded. Does the bridge still run?":
    "Dieser Bereich ließ sich nicht laden. Läuft die Bridge noch?",
  "Try again": "Noch einmal versuchen",

  // The connection
  Connected: "Verbunden",
  "Connected, {0} running": "Verbunden, {0} laufen",
  "Not connected": "Nicht verbunden",
  Standby: "Bereitschaft",
  Refused: "Abgelehnt",
  Offline: "Offline",
  "See what to do on the page.": "Was zu tun ist, steht auf der Seite.",
  "Connecting to the bridge.": "Verbindung mit der Bridge wird aufgebaut.",
  "This tab performs your tools' requests. Keep it open; it may stay in the background.":
    "Dieser Tab führt die Anfragen der Tools aus. Offen lassen; er darf im Hintergrund bleiben.",
  "Another tab of this browser performs the calls. This one takes over when that tab closes.":
    "Ein anderer Tab dieses Browsers führt die Aufrufe aus. Dieser übernimmt, wenn jener geschlossen wird.",
  "The bridge does not accept this page. Open the link it printed.":
    "Die Bridge nimmt diese Seite nicht an. Den Link öffnen, den sie ausgegeben hat.",
  "The bridge answers, but its WebSocket does not come through. Most likely a proxy, a firewall or an extension between this page and the bridge does not pass it: upgrades for {0}/ must be passed on (how-to: Run behind a proxy).":
    "Die Bridge antwortet, aber ihr WebSocket kommt nicht durch. Vermutlich lässt ihn ein Proxy, eine Firewall oder eine Erweiterung zwischen dieser Seite und der Bridge nicht durch: Upgrades für {0}/ müssen weitergereicht werden (Anleitung: Run behind a proxy).",
  "The bridge does not answer. Is it still running? This page tries again by itself.":
    "Die Bridge antwortet nicht. Läuft sie noch? Diese Seite versucht es von selbst wieder.",
  "The bridge does not answer. Is it still running? This page keeps trying to reach it.":
    "Die Bridge antwortet nicht. Läuft sie noch? Diese Seite versucht es weiter.",
  "The bridge does not answer. Is it still running?": "Die Bridge antwortet nicht. Läuft sie noch?",
  "The bridge answered with HTTP status {0} and no explanation.":
    "Die Bridge hat mit HTTP-Status {0} geantwortet, ohne Erklärung.",
  "No device is connected: calls fail with no_browser.": "Kein Gerät ist verbunden: Aufrufe scheitern mit no_browser.",
  "{0} runs calls.": "{0} führt Aufrufe aus.",
  "Another tab of this browser runs calls.": "Ein anderer Tab dieses Browsers führt Aufrufe aus.",
  "This tab runs calls.": "Dieser Tab führt Aufrufe aus.",
  "This browser runs calls.": "Dieser Browser führt Aufrufe aus.",
  "{0} runs calls: it was active last. This device takes over once it is in front again, or for the servers assigned to it under Devices.":
    "{0} führt Aufrufe aus, weil es zuletzt aktiv war. Dieses Gerät übernimmt, sobald es wieder im Vordergrund ist, oder für die Server, die ihm unter Geräte zugeordnet sind.",

  // Entering
  "The page could not start": "Die Seite konnte nicht starten",
  "Documents are not fetched again: a part of this page could not be loaded. Reload the page.":
    "Dokumente werden nicht neu abgerufen: Ein Teil dieser Seite konnte nicht geladen werden. Die Seite neu laden.",
  "This address is not secure enough": "Diese Adresse ist nicht sicher genug",
  "Open the bridge as http://localhost on the computer where it runs, or over https.":
    "Die Bridge auf dem Rechner, auf dem sie läuft, als http://localhost öffnen, sonst über https.",
  "Only then does the browser let the page store its key.":
    "Nur dann lässt der Browser die Seite ihren Schlüssel speichern.",
  "This browser is not connected yet": "Dieser Browser ist noch nicht verbunden",
  "Or open the link that the bridge prints in its terminal when it starts. It works once.":
    "Oder den Link öffnen, den die Bridge beim Start im Terminal ausgibt. Er gilt einmal.",
  "Or open the link that the bridge prints when it starts.": "Oder den Link öffnen, den die Bridge beim Start ausgibt.",
  "This link has been used or has expired": "Dieser Link ist schon benutzt oder abgelaufen",
  "Each link works once. For a new one, run tool-bridge key --user NAME or restart the bridge.":
    "Jeder Link gilt einmal. Einen neuen gibt es mit tool-bridge key --user NAME oder beim Neustart der Bridge.",
  "If this browser was connected before, the plain address without the link works too.":
    "War dieser Browser schon verbunden, geht auch die einfache Adresse ohne den Link.",
  "Confirm this browser on another one": "Diesen Browser in einem anderen bestätigen",
  "The bridge does not know this browser any more": "Die Bridge kennt diesen Browser nicht mehr",
  "Too many attempts": "Zu viele Versuche",
  "This link is for another user": "Dieser Link ist für jemand anderen",
  "Did somebody send you this link? Then stay, and ask what it is for.":
    "Kam der Link von jemand anderem? Dann bleiben und nachfragen, wofür er ist.",
  "What you accepted and the credentials you saved here stay yours, and are not used for anybody else.":
    "Was hier akzeptiert und an Zugangsdaten gespeichert ist, bleibt das Eigene und wird für niemand anderen benutzt.",
  "This link would move this browser from {0} to {1}: {2}'s calls would then run here.":
    "Dieser Link würde diesen Browser von {0} zu {1} verschieben: Aufrufe von {2} liefen dann hier.",
  "This page was not opened over https or on http://localhost, so the browser does not let it store keys. Open it at the address that the bridge prints.":
    "Diese Seite wurde nicht über https oder unter http://localhost geöffnet, darum lässt der Browser sie keine Schlüssel speichern. Unter der Adresse öffnen, die die Bridge ausgibt.",
  "This browser is not paired with the bridge. Use a code, or the link that the bridge printed when it started.":
    "Dieser Browser ist nicht mit der Bridge gekoppelt. Einen Code benutzen oder den Link, den die Bridge beim Start ausgegeben hat.",
  "This link has already been used or has expired.": "Dieser Link ist schon benutzt oder abgelaufen.",
  "This link is valid but needs a confirmation: confirm this browser on one of yours that is already paired.":
    "Dieser Link gilt, braucht aber eine Bestätigung: diesen Browser in einem schon gekoppelten eigenen bestätigen.",
  "The bridge no longer knows this browser: it was removed, or the bridge's data is gone.":
    "Die Bridge kennt diesen Browser nicht mehr: Er wurde entfernt, oder ihre Daten sind weg.",
  "Stay with {0}": "Bei {0} bleiben",
  "Switch to {0}": "Zu {0} wechseln",
  "The bridge does not answer": "Die Bridge antwortet nicht",
  "Check that it is running: tool-bridge serve.": "Prüfen, ob sie läuft: tool-bridge serve.",
  "This page tries again by itself.": "Diese Seite versucht es von selbst wieder.",
  "This browser does not store data for this page": "Dieser Browser speichert für diese Seite keine Daten",
  "Leave the private window, or allow this site to store data, and reload.":
    "Das private Fenster verlassen oder dieser Website das Speichern erlauben, dann neu laden.",
  "This browser now belongs to {0}.": "Dieser Browser gehört jetzt zu {0}.",
  "Not you? Disconnect it under Devices.": "Falsch? Unter Geräte trennen.",

  // Pairing
  "Pair this browser with a code": "Diesen Browser mit einem Code koppeln",
  "Pair it from a browser that is already paired": "Von einem schon gekoppelten Browser aus koppeln",
  "There, open Devices and type this code under “Add a device”.":
    "Dort Geräte öffnen und diesen Code unter „Gerät hinzufügen“ eingeben.",
  "Valid once, until {0}. This page continues by itself.": "Gilt einmal, bis {0}. Diese Seite geht von selbst weiter.",
  "Code {0}": "Code {0}",
  "Show a new code": "Neuen Code zeigen",
  "This browser was refused.": "Dieser Browser wurde abgelehnt.",
  "The code has expired: it was not entered within 5 minutes.":
    "Der Code ist abgelaufen: Er wurde nicht innerhalb von 5 Minuten eingegeben.",
  "Add a device": "Gerät hinzufügen",
  "Open the address of the bridge in the other browser: it shows a code. Only type a code that you see on a screen of your own.":
    "Im anderen Browser die Adresse der Bridge öffnen: Er zeigt einen Code. Nur einen Code eingeben, der auf einem eigenen Bildschirm steht.",
  Code: "Code",
  "Look it up": "Nachsehen",
  "Is this your browser? It would belong to {0}: your calls may then run there.":
    "Ist das der eigene Browser? Er würde zu {0} gehören: Aufrufe können dann dort laufen.",
  "Reported as": "Gemeldet als",
  Address: "Adresse",
  Since: "Seit",
  "Confirm this device": "Gerät bestätigen",
  Refuse: "Ablehnen",
  "The device is added. It connects by itself.": "Das Gerät ist hinzugefügt. Es verbindet sich von selbst.",
  "The request was refused.": "Die Anfrage wurde abgelehnt.",

  // Devices
  Devices: "Geräte",
  "this browser": "dieser Browser",
  "runs calls": "führt Aufrufe aus",
  "connected, in front": "verbunden, im Vordergrund",
  "connected, in the background": "verbunden, im Hintergrund",
  "not connected": "nicht verbunden",
  "Paired {0}, last seen {1}": "Gekoppelt {0}, zuletzt gesehen {1}",
  Name: "Name",
  Rename: "Umbenennen",
  "Rename {0}": "{0} umbenennen",
  "The device is renamed": "Das Gerät ist umbenannt",
  Remove: "Entfernen",
  "Remove {0}?": "{0} entfernen?",
  "Remove this device": "Gerät entfernen",
  "It loses access immediately, and its running calls end. It needs a new code to reconnect.":
    "Es verliert sofort den Zugang, und seine laufenden Aufrufe enden. Zum Wiederverbinden braucht es einen neuen Code.",
  "{0} is removed": "{0} ist entfernt",
  "{0} is paired again": "{0} ist wieder gekoppelt",
  Chosen: "Gewählt",
  "Disconnect this browser": "Diesen Browser trennen",
  "Your credentials and what you accepted in this browser are deleted here, and its running calls end. Your servers, keys and other devices stay.":
    "Zugangsdaten und was in diesem Browser akzeptiert ist, werden hier gelöscht, und seine laufenden Aufrufe enden. Server, Schlüssel und andere Geräte bleiben.",
  "Disconnect and delete": "Trennen und löschen",
  Stay: "Bleiben",
  "Device for each server": "Gerät für jeden Server",
  "Device for {0}": "Gerät für {0}",
  Automatic: "Automatisch",
  "Automatic is the device that was active last. A device runs only operations that were accepted on it.":
    "Automatisch heißt: das zuletzt aktive Gerät. Ein Gerät führt nur Operationen aus, die auf ihm akzeptiert wurden.",
  "{0} is not connected. {1}": "{0} ist nicht verbunden. {1}",
  "{0} runs its calls meanwhile.": "{0} führt seine Aufrufe solange aus.",
  "No device runs its calls.": "Kein Gerät führt seine Aufrufe aus.",

  // Looking at an address
  Probe: "Prüffenster",
  "“{0}” is a word, not an address. If it is a host of your network, write http://{1}/ in full.":
    "„{0}“ ist ein Wort, keine Adresse. Ist es ein Rechner im eigenen Netz, dann http://{1}/ ausschreiben.",
  "This is not an http or https address, such as https://api.example/openapi.json.":
    "Das ist keine http- oder https-Adresse wie https://api.example/openapi.json.",
  "Leave the name and password out of the address; add them as a credential later.":
    "Name und Passwort aus der Adresse weglassen und später als Zugangsdaten hinzufügen.",
  "The probe returned no document.": "Die Prüfung hat kein Dokument geliefert.",
  "The probe returned no report.": "Die Prüfung hat keinen Bericht geliefert.",

  // Logging in with the account of an organization
  "With the account of your organization:": "Mit dem Konto der eigenen Organisation:",
  "The login was cancelled.": "Die Anmeldung wurde abgebrochen.",
  "This login was begun in another browser, or too long ago. Log in again.":
    "Diese Anmeldung wurde in einem anderen Browser oder vor zu langer Zeit begonnen. Bitte erneut anmelden.",
  "The login service does not answer as it should. Try again in a minute; the log of the bridge says why.":
    "Der Anmeldedienst antwortet nicht wie erwartet. In einer Minute erneut versuchen; den Grund nennt das Protokoll der Bridge.",
  "The bridge cannot accept what the login service says. The log of the bridge says why.":
    "Die Bridge kann die Angaben des Anmeldedienstes nicht annehmen. Den Grund nennt das Protokoll der Bridge.",
  "Your account may not use this bridge. Ask whoever runs it.":
    "Dieses Konto darf diese Bridge nicht benutzen. Wer sie betreibt, kann das ändern.",
  "Your account on this bridge is disabled. Ask whoever runs it.":
    "Dieses Konto ist auf dieser Bridge gesperrt. Wer sie betreibt, kann das ändern.",
  "Your login has ended": "Die Anmeldung ist abgelaufen",
  "Log in again; what you accepted and saved in this browser is still there.":
    "Bitte erneut anmelden; was in diesem Browser akzeptiert und gespeichert wurde, ist noch da.",
  "Log out at the login service": "Beim Anmeldedienst abmelden",
  Account: "Konto",
  "You are {0}.": "Angemeldet als {0}.",
  "Tokens of models": "Token der Modelle",
  "Cost of models": "Kosten der Modelle",
  "Counted anew from": "Neu gezählt ab",
};
