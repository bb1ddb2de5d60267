// @ts-check
/**
 * Named characters of HTML 4, such as `&eacute;` and `&hellip;`. The vendored parser of Markdown asks here instead of a table
 * of all 2,231 names, which was a third of it (decision 71). Any other name stays as it is written.
 */
import { dictionaryOf } from "../base/dictionary.js";
import { verbatim } from "../base/language.js";

/** Names of the characters from a number on. @type {[number, string][]} */
const RUNS = [
  [
    160,
    "nbsp,iexcl,cent,pound,curren,yen,brvbar,sect,uml,copy,ordf,laquo,not,shy,reg,macr,deg,plusmn,sup2,sup3,acute,micro,para,middot,cedil,sup1,ordm,raquo,frac14,frac12,frac34,iquest,Agrave,Aacute,Acirc,Atilde,Auml,Aring,AElig,Ccedil,Egrave,Eacute,Ecirc,Euml,Igrave,Iacute,Icirc,Iuml,ETH,Ntilde,Ograve,Oacute,Ocirc,Otilde,Ouml,times,Oslash,Ugrave,Uacute,Ucirc,Uuml,Yacute,THORN,szlig,agrave,aacute,acirc,atilde,auml,aring,aelig,ccedil,egrave,eacute,ecirc,euml,igrave,iacute,icirc,iuml,eth,ntilde,ograve,oacute,ocirc,otilde,ouml,divide,oslash,ugrave,uacute,ucirc,uuml,yacute,thorn,yuml",
  ],
  [913, verbatim("Alpha,Beta,Gamma,Delta,Epsilon,Zeta,Eta,Theta,Iota,Kappa,Lambda,Mu,Nu,Xi,Omicron,Pi,Rho")],
  [931, verbatim("Sigma,Tau,Upsilon,Phi,Chi,Psi,Omega")],
  [
    945,
    "alpha,beta,gamma,delta,epsilon,zeta,eta,theta,iota,kappa,lambda,mu,nu,xi,omicron,pi,rho,sigmaf,sigma,tau,upsilon,phi,chi,psi,omega",
  ],
];
const OTHERS =
  "34quot,38amp,39apos,60lt,62gt,338OElig,339oelig,352Scaron,353scaron,376Yuml,402fnof,710circ,732tilde,977thetasym,978upsih,982piv,8194ensp,8195emsp,8201thinsp,8204zwnj,8205zwj,8206lrm,8207rlm,8211ndash,8212mdash,8216lsquo,8217rsquo,8218sbquo,8220ldquo,8221rdquo,8222bdquo,8224dagger,8225Dagger,8226bull,8230hellip,8240permil,8242prime,8243Prime,8249lsaquo,8250rsaquo,8254oline,8260frasl,8364euro,8465image,8472weierp,8476real,8482trade,8501alefsym,8592larr,8593uarr,8594rarr,8595darr,8596harr,8629crarr,8656lArr,8657uArr,8658rArr,8659dArr,8660hArr,8704forall,8706part,8707exist,8709empty,8711nabla,8712isin,8713notin,8715ni,8719prod,8721sum,8722minus,8727lowast,8730radic,8733prop,8734infin,8736ang,8743and,8744or,8745cap,8746cup,8747int,8756there4,8764sim,8773cong,8776asymp,8800ne,8801equiv,8804le,8805ge,8834sub,8835sup,8836nsub,8838sube,8839supe,8853oplus,8855otimes,8869perp,8901sdot,8968lceil,8969rceil,8970lfloor,8971rfloor,9674loz,9824spades,9827clubs,9829hearts,9830diams,10216lang,10217rang";

/** @type {Record<string, number>} */
const CODES = dictionaryOf(
  Object.fromEntries([
    ...RUNS.flatMap(([first, names]) => names.split(",").map((name, place) => [name, first + place])),
    ...OTHERS.split(",").map((each) => [each.replace(/^\d+/, ""), Number.parseInt(each, 10)]),
  ]),
);

/** @param {string} text @returns {string} with the characters that are named in it, each name with its semicolon */
export const decodeHTMLStrict = (text) =>
  text.replace(/&([A-Za-z][A-Za-z\d]*);/g, (whole, name) =>
    name in CODES ? String.fromCodePoint(CODES[name]) : whole,
  );
