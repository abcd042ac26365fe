/** `prompts/revise.md`: what each iteration of the loop is asked. */
export const promptRevise = `---
name: Revise
description: One pass over the guide; the loop asks for it twice.
tags: [revise, guide]
version: 0.1.0
---
Read \`guide.md\` as somebody who has never seen the folder.

Find the one place where that reader would stop or go wrong: a word that is not explained, a path that does not exist, a
step that is missing. Look it up in the folder again if you must, then mend that place in \`guide.md\` and nothing else.

Answer with one sentence: what was unclear, and what it says now.
`
