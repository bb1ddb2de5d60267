// @ts-check
/** The options of one curl command: what of them belongs to its request. Pure. */
import { INPUT } from "./shell_words.js";

/** @typedef {{text: string, file: string | null}} Sent  `file`: the name of one, whose content is not known; "" where nobody names it */
/** @typedef {{method: string, urls: string[], query: string[], headers: [string, string][], data: Sent[], form: string[], formTexts: string[], isGet: boolean, isJson: boolean, input: string | null}} Options */

/** Options with a value, by what it is; `skip`: nothing that a document says (those of curl 7.88 and 8). */
const WITH_VALUE = new Map(
  Object.entries({
    method: "-X --request",
    header: "-H --header",
    data: "-d --data --data-ascii --data-binary",
    raw: "--data-raw",
    encoded: "--data-urlencode",
    json: "--json",
    form: "-F --form",
    formText: "--form-string",
    user: "-u --user",
    bearer: "--oauth2-bearer",
    cookie: "-b --cookie",
    url: "--url",
    query: "--url-query",
    upload: "-T --upload-file",
    skip: "-A -C -D -E -K -P -Q -U -Y -c -e -h -m -o -r -t -w -x -y -z --abstract-unix-socket --alt-svc --aws-sigv4 --cacert --capath --cert --cert-type --ciphers --config --connect-timeout --connect-to --continue-at --cookie-jar --create-file-mode --crlfile --curves --delegation --dns-interface --dns-ipv4-addr --dns-ipv6-addr --dns-servers --doh-url --dump-header --ech --egd-file --engine --etag-compare --etag-save --expect100-timeout --ftp-account --ftp-method --ftp-port --happy-eyeballs-timeout-ms --haproxy-clientip --hostpubmd5 --hostpubsha256 --hsts --interface --ip-tos --ipfs-gateway --keepalive-cnt --keepalive-time --key --key-type --krb --libcurl --limit-rate --local-port --login-options --max-filesize --max-redirs --max-time --netrc-file --noproxy --output --output-dir --parallel-max --pass --pinnedpubkey --preproxy --proto --proto-default --proto-redir --proxy --proxy-cacert --proxy-capath --proxy-cert --proxy-cert-type --proxy-ciphers --proxy-crlfile --proxy-header --proxy-key --proxy-key-type --proxy-pass --proxy-pinnedpubkey --proxy-service-name --proxy-tls13-ciphers --proxy-user --proxy1.0 --pubkey --quote --random-file --range --rate --referer --request-target --resolve --retry --retry-delay --retry-max-time --service-name --socks4 --socks4a --socks5 --socks5-hostname --speed-limit --speed-time --stderr --telnet-option --time-cond --tls-max --tls13-ciphers --tlspassword --tlsuser --trace --trace-ascii --trace-config --unix-socket --user-agent --variable --vlan-priority --write-out",
  }).flatMap(([what, names]) => names.split(" ").map((name) => /** @type {[string, string]} */ ([name, what]))),
);

/** A redirection; its file is the next word where it is not part of this one. */
const REDIRECTION = /^(?:\d*|&)(?:>>?|<)(&\d|&-)?([^]*)$/;

/** @param {string[]} words @returns {Options} */
export function readOptions(words) {
  /** @type {Options} */
  const options = {
    method: "",
    urls: [],
    query: [],
    headers: [],
    data: [],
    form: [],
    formTexts: [],
    isGet: false,
    isJson: false,
    input: null,
  };
  const rest = [...words];
  const next = () => rest.shift() ?? "";
  for (let word = rest.shift(); word !== undefined; word = rest.shift()) {
    const redirection = REDIRECTION.exec(word);
    if (word === INPUT) options.input = next();
    else if (redirection) redirection[1] || redirection[2] || next();
    else if (word.startsWith("--")) takeLong(options, word, next);
    else if (/^-./.test(word)) takeShort(options, word, next);
    else takeOption(options, "url", word);
  }
  return options;
}

/** `--request=POST` has its value in the same word. @param {Options} options @param {string} word @param {() => string} next */
function takeLong(options, word, next) {
  const [, name, joined] = /^(--[^=]+)(?:=([^]*))?$/.exec(word) ?? [];
  const what = WITH_VALUE.get(name);
  if (what) takeOption(options, what, joined ?? next());
  else takeFlag(options, name);
}

/** `-sSLX POST`, `-XPOST`: letters without a value, then perhaps one with the rest of the word or the next one. @param {Options} options @param {string} word @param {() => string} next */
function takeShort(options, word, next) {
  for (let at = 1; at < word.length; at += 1) {
    const name = `-${word[at]}`;
    const what = WITH_VALUE.get(name);
    if (what) return takeOption(options, what, word.slice(at + 1) || next());
    takeFlag(options, name);
  }
}

/** @param {Options} options @param {string} name */
function takeFlag(options, name) {
  if (name === "-G" || name === "--get") options.isGet = true;
  if (name === "-I" || name === "--head") options.method ||= "HEAD";
}

/** @param {Options} options @param {string} what @param {string} value */
function takeOption(options, what, value) {
  if (what === "method") options.method = value.toUpperCase();
  if (what === "header" && value.includes(":"))
    options.headers.push([value.slice(0, value.indexOf(":")).trim(), value.slice(value.indexOf(":") + 1).trim()]);
  if (what === "data" || what === "json")
    options.data.push(value.startsWith("@") ? sentFile(value.slice(1)) : sentText(value));
  if (what === "raw") options.data.push(sentText(value));
  if (what === "encoded") options.data.push(encodedPair(value));
  if (what === "json") options.isJson = true;
  if (what === "form") options.form.push(value);
  if (what === "formText") options.formTexts.push(value);
  if (what === "user") options.headers.push(["authorization", "basic ?"]);
  if (what === "bearer") options.headers.push(["authorization", "bearer ?"]);
  if (what === "cookie") options.headers.push(["cookie", value]);
  if (what === "url") options.urls.push(value);
  if (what === "query") options.query.push(encodedPair(value.replace(/^\+/, "")).text);
  if (what === "upload") [options.method, options.data] = [options.method || "PUT", [...options.data, sentFile(value)]];
}

/** @param {string} text @returns {Sent} */
const sentText = (text) => ({ text, file: null });

/** @param {string} file @returns {Sent} */
const sentFile = (file) => ({ text: "", file });

/** @param {string} value `name=text`, text, `name@file` or `@file` @returns {Sent} */
function encodedPair(value) {
  const [, name, sign, text] = /^([^=@]*)([=@]?)([^]*)$/.exec(value) ?? ["", value, "", ""];
  if (sign === "@") return name === "" ? sentFile(text) : sentText(`${name}=`);
  if (sign === "") return sentText(encodeURIComponent(name));
  return sentText(`${name === "" ? "" : `${name}=`}${encodeURIComponent(text)}`);
}
