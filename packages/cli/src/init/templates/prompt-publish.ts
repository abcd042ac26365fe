/** `prompts/publish.md`: a fresh agent that only has the files. */
export const promptPublish = `---
name: Publish
description: Checks the finished guide and writes a summary of it.
tags: [publish, summary]
version: 0.1.0
---
The finished guide is \`guide.md\` in <%AGENT_ROOT%>.

1. Read it. If a line still begins with "TODO", remove the line.
2. Write \`summary.md\`: what the folder is for in one sentence, then the three paths a newcomer should open first, each with
   half a line why.
`
