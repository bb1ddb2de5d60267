// @ts-check
/** German of credentials and logins. */

/** @type {Record<string, string>} */
export const GERMAN_LOGINS = {
  // Credentials
  Credentials: "Zugangsdaten",
  "Stored encrypted in this browser and sent only to the chosen address. The bridge and the models never see them.":
    "Werden verschlüsselt in diesem Browser gespeichert und nur an die gewählte Adresse gesendet. Die Bridge und die Modelle sehen sie nie.",
  "Saved credentials": "Gespeicherte Zugangsdaten",
  Kind: "Art",
  "From the document": "Aus dem Dokument",
  "Your own": "Eigene",
  "Custom: bearer token": "Eigene: Bearer-Token",
  "Custom: header": "Eigene: Header",
  "Custom: query parameter": "Eigene: Query-Parameter",
  "Custom: name and password": "Eigene: Name und Passwort",
  "For every request of this server, whatever its document says.":
    "Für jede Anfrage dieses Servers, gleich, was sein Dokument sagt.",
  "API key in the query parameter {0}": "API-Schlüssel im Query-Parameter {0}",
  "API key in the header {0}": "API-Schlüssel im Header {0}",
  "name and password": "Name und Passwort",
  "{0} token": "{0}-Token",
  "client certificate": "Client-Zertifikat",
  "access token": "Zugriffstoken",
  "Token or key": "Token oder Schlüssel",
  "User name": "Benutzername",
  Password: "Passwort",
  "Name of the header or parameter": "Name des Headers oder Parameters",
  "Sent to": "Gesendet an",
  "Sent to {0}": "Gesendet an {0}",
  "Save in this browser": "In diesem Browser speichern",
  "Saved in this browser.": "In diesem Browser gespeichert.",
  "custom, for every request": "eigene, für jede Anfrage",
  "{0} · saved {1}": "{0} · gespeichert {1}",
  "not used: another address": "nicht benutzt: andere Adresse",
  "Credential {0} removed": "Zugangsdaten {0} entfernt",
  "Remove the credential {0}": "Zugangsdaten {0} entfernen",
  "Token of the MCP server": "Token des MCP-Servers",
  "Stored encrypted in this browser and sent only to this server. The bridge and the models never see it.":
    "Wird verschlüsselt in diesem Browser gespeichert und nur an diesen Server gesendet. Die Bridge und die Modelle sehen es nie.",
  "Fetch with this token": "Mit diesem Token abrufen",
  "This bridge is below a path of {0}. Other programs at that address can read this page, and use the credentials that it stores. Trust them as you trust the bridge.":
    "Diese Bridge liegt unter einem Pfad von {0}. Andere Programme unter dieser Adresse können diese Seite lesen und die Zugangsdaten benutzen, die sie speichert. Sie müssen so vertrauenswürdig sein wie die Bridge.",

  // Before a login
  Login: "Anmeldung",
  "Log in": "Anmelden",
  "Log in: {0}": "Anmelden: {0}",
  "Log in with a code on another device": "Mit einem Code auf einem anderen Gerät anmelden",
  "Log in as the client itself": "Als der Client selbst anmelden",
  "The bridge and the models never see the tokens: they are stored encrypted in this browser, and renewed by it.":
    "Die Bridge und die Modelle sehen die Tokens nie: Dieser Browser speichert sie verschlüsselt und erneuert sie.",
  "You log in at {0}; tokens are sent to {1}.": "Die Anmeldung geschieht bei {0}; Tokens gehen an {1}.",
  Scopes: "Scopes",
  "Chosen are those that the accepted operations need. Untick what you do not want to give.":
    "Gewählt sind die, die akzeptierte Operationen brauchen. Abwählen, was nicht erteilt werden soll.",
  "Client and account": "Client und Konto",
  "Name of the account": "Name des Kontos",
  "To tell several accounts apart. Left empty, the server's name for you is taken, if it tells.":
    "Um mehrere Konten zu unterscheiden. Leer: der Name, den der Server nennt, wenn er einen nennt.",
  "Client id": "Client-ID",
  "As registered at the authorization server, with the redirect address {0}. Left empty, the page registers itself where that is possible.":
    "Wie beim Autorisierungsserver registriert, mit der Redirect-Adresse {0}. Leer: Die Seite registriert sich selbst, wo das geht.",
  "Client secret": "Client-Secret",
  "Only if the server gave you one. Stored encrypted in this browser, sent to that server only.":
    "Nur wenn der Server eines ausgegeben hat. Wird verschlüsselt in diesem Browser gespeichert und nur an diesen Server gesendet.",
  "Name the API to the authorization server, so that tokens are good for nothing else (resource).":
    "Dem Autorisierungsserver die API nennen, damit Tokens für nichts anderes gelten (resource).",

  // While it is under way
  "Asking the server how to log in…": "Server wird nach der Anmeldung gefragt …",
  "Waiting for the login at {0}.": "Auf die Anmeldung bei {0} wird gewartet.",
  "Open the login page": "Anmeldeseite öffnen",
  "Open it again": "Noch einmal öffnen",
  "Open {0} on any device and confirm the code {1}":
    "{0} auf einem beliebigen Gerät öffnen und diesen Code bestätigen: {1}",
  "{0} will get access; you confirm at {1}.": "Zugriff erhält: {0}. Bestätigt wird bei {1}.",
  "Confirm only if you know that they belong together: a server that passes on another one's code gets in there.":
    "Nur bestätigen, wenn bekannt ist, dass beide zusammengehören: Ein Server, der den Code eines anderen weitergibt, kommt dort hinein.",
  "Copy the code": "Code kopieren",
  "You gave up this login.": "Diese Anmeldung wurde abgebrochen.",
  "An answer came that carries no `state`, so it may be another login's. It was not used.":
    "Es kam eine Antwort ohne `state`, vielleicht die einer anderen Anmeldung. Sie wurde nicht benutzt.",
  "Send them through the companion": "Über den Companion senden",
  "For discovery and tokens at {0}, without your cookies there. The page itself sends nothing there then.":
    "Für Discovery und Tokens bei {0}, ohne die Cookies von dort. Die Seite selbst sendet dann nichts dorthin.",
  "Chosen. Allow it under How it is called, then log in again.":
    "Gewählt. Unter „Wie aufgerufen wird“ erlauben, dann noch einmal anmelden.",
  "Granted. Log in again.": "Erlaubt. Noch einmal anmelden.",
  "Logged in.": "Angemeldet.",

  // Accounts
  Accounts: "Konten",
  ended: "beendet",
  "renewed by itself": "wird von selbst erneuert",
  "until the server ends it": "bis der Server sie beendet",
  "until {0}": "bis {0}",
  "no scopes": "keine Scopes",
  "in use": "in Benutzung",
  Use: "Benutzen",
  "Use the account {0}": "Konto {0} benutzen",
  "{0} is used now": "Jetzt wird {0} benutzt",
  "Log out": "Abmelden",
  "Log out {0}": "{0} abmelden",
  "Log in again": "Noch einmal anmelden",
  "Log in with more": "Mit mehr anmelden",
  "A renewal had no answer ({0}); the next one tells whether the login still holds.":
    "Eine Erneuerung blieb ohne Antwort ({0}); die nächste zeigt, ob die Anmeldung noch gilt.",
  "The API wants more of this login: {0}.": "Die API verlangt von dieser Anmeldung mehr: {0}.",

  // How a login ends
  "The MCP server says where.": "Wo, sagt der MCP-Server.",
  "Tells who you are": "Sagt, wer man ist",
  "Stay logged in: renew the login while you are away":
    "Angemeldet bleiben: die Anmeldung auch in Abwesenheit erneuern",
  "Enter the client id and the client secret: the client itself logs in.":
    "Client-ID und Client-Secret eingeben: Der Client selbst meldet sich an.",
  "The login is forgotten in this browser.": "Die Anmeldung ist in diesem Browser vergessen.",
  "Logged out: the server has revoked the tokens, and this browser has forgotten them.":
    "Abgemeldet: Der Server hat die Tokens widerrufen, und dieser Browser hat sie vergessen.",
  "This browser has forgotten the tokens. The server offers no way to revoke them, so they end by themselves.":
    "Dieser Browser hat die Tokens vergessen. Der Server bietet keinen Widerruf an, darum laufen sie von selbst ab.",
  "This browser has forgotten the tokens, but the server could not be told to revoke them: {0}":
    "Dieser Browser hat die Tokens vergessen, aber der Widerruf hat den Server nicht erreicht: {0}",
  "This server knows only clients that were registered with it. Register one there with the redirect address {0}, and enter its client id.":
    "Dieser Server kennt nur bei ihm registrierte Clients. Dort einen mit der Redirect-Adresse {0} registrieren und seine Client-ID eingeben.",
  "The server names no page to log in at.": "Der Server nennt keine Seite zum Anmelden.",
  "The server names no http address to confirm the code at. The login is refused.":
    "Der Server nennt keine http-Adresse zum Bestätigen des Codes. Die Anmeldung wird abgelehnt.",
  "It says: “{0}”": "Er sagt: „{0}“",
  "{0} does not let web pages read the answers of {1} (CORS), so this page cannot log in there by itself. The companion extension can, if you choose that; or its operator allows this page's origin for that address; or you paste a token as a credential.":
    "{0} lässt Webseiten die Antworten von {1} nicht lesen (CORS), darum kann diese Seite sich dort nicht selbst anmelden. Die Companion-Erweiterung kann es, wenn sie dafür gewählt wird; oder der Betreiber erlaubt die Herkunft dieser Seite für jene Adresse; oder ein Token wird in die Zugangsdaten eingefügt.",
  "The probe returned no answer.": "Die Prüfung hat keine Antwort geliefert.",
  "{0} answers with a redirect, which a login does not follow.":
    "{0} antwortet mit einer Umleitung, der eine Anmeldung nicht folgt.",
  "Handing the login to the bridge page…": "Anmeldung wird an die Seite der Bridge übergeben …",
  "You can close this window: the bridge page has the answer.":
    "Dieses Fenster kann geschlossen werden: Die Seite der Bridge hat die Antwort.",
  "No bridge page of this browser waits for this login. Close this window, and begin the login again on the bridge page.":
    "Keine Seite der Bridge in diesem Browser wartet auf diese Anmeldung. Dieses Fenster schließen und die Anmeldung auf der Seite der Bridge noch einmal beginnen.",
};
