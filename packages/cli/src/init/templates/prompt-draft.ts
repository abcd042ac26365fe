/** `prompts/draft.md`: shows front matter, a comment and a template variable. */
export const promptDraft = `---
name: Draft
description: Fills in the template of the guide.
tags: [draft, guide]
version: 0.1.0
---
<!--
  The lines between the two --- above are about this prompt; a comment like this one is for whoever edits the file.
  Neither is sent to the model.
-->
The folder to describe is <%DATA_DIR%>. It is read-only.

1. List its files and read the ones that explain the rest: a README, a manifest, the largest files of each kind.
2. Open \`guide.md\` in your working directory. It is a template; keep its headings.
3. Replace every line that begins with "TODO" by what you found out.

If the folder is empty, write the guide about an empty folder and say so in its first sentence.
`
