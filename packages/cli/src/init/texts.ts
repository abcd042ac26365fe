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

/** `prompts/house-style.md`: the system prompt of every codon. */
export const promptHouseStyle = `---
name: House style
description: Goes to every codon, before its own prompt.
tags: [system]
version: 0.1.0
---
Write for a reader who is new to the folder and has five minutes.

- Short sentences, plain words, no praise.
- Say only what you have seen in a file. Where you are guessing, write that you are.
- Name every file by its path, in back-ticks.
- Change nothing but the files that you are asked to write.
`

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

/** `rig/guide-template.md`: what the rig puts into the agent workspace. */
export const guideTemplate = `# Guide

## What this is

TODO: one paragraph on what the folder is for.

## What is where

TODO: one line for each part, its path first.

## Where to begin

TODO: the first thing a newcomer should open or do.
`
/** `README.md`: what each file is for and what to do next. It names only commands that exist. */
export const readme = [
  '# Guide to a folder',
  '',
  'A *hank* is a workflow in a file: agents work through its items in order. This one writes a short guide to a folder.',
  '',
  '## What happens',
  '',
  '1. **Draft the guide**, a *codon*: one task for one agent. Its *rig* first copies `rig/guide-template.md` into the',
  '   agent workspace as `guide.md`. A *sentinel* watches the agent and tells what it does.',
  '2. **Improve the guide**, a *loop* with two iterations. Its codon continues the conversation of the draft.',
  '3. **Publish the guide**, a codon with *outputs*: `guide.md` and `summary.md` are copied to `weave-results/`.',
  '',
  'After each codon the files that match its `checkpointedFiles` are kept as a checkpoint. The budget under `overrides`',
  'ends the whole run at one dollar or after half an hour; the loop may use half a dollar of it.',
  '',
  '## What is where',
  '',
  '| file | what it is |',
  '|---|---|',
  '| `hank.json` | the hank. JSON has no comments, so each item explains itself in its `description` |',
  '| `prompts/house-style.md` | the system prompt that every codon gets |',
  '| `prompts/draft.md`, `prompts/revise.md`, `prompts/publish.md` | what each codon is asked |',
  '| `rig/guide-template.md` | what the rig copies into the agent workspace |',
  '| `sentinels/narrator.json` | the sentinel: when it wakes, and what it is asked |',
  '| `rehearsal.json` | the script of a rehearsal: what a scripted model answers, so that no key is needed |',
  '| `weave.json` | settings of the program; the hank works without it |',
  '| `.gitignore` | keeps outputs and keys out of git |',
  '',
  'In prompts, `<%DATA_DIR%>` stands for the folder that a run is given as its data, and `<%AGENT_ROOT%>` for the agent',
  'workspace. Comments and front matter are not sent to the model.',
  '',
  '## What to do next',
  '',
  'Rehearse. The agents, their tools and files are real; only the model is a script, so no key is needed:',
  '',
  '```sh',
  'weave rehearse',
  '```',
  '',
  '`weave report` then writes a page that shows what happened. Check the hank for a real run; nothing runs and no token is',
  'spent:',
  '',
  '```sh',
  'weave validate',
  '```',
  '',
  'It looks for the key of the model provider in the environment, which is `ANTHROPIC_API_KEY` for this hank, and asks the',
  'provider whether the key and the models are good. With `--skip-self-test` it asks nobody. The first check adds a',
  '`$schema` line to `hank.json`, for your editor.',
  '',
  'Then change one thing and check again. Good first changes: another model (`weave models` lists them), a third iteration',
  '(`limit`), your own words in `prompts/draft.md`. A misspelt field, a missing file or an unknown model is told with its',
  'line and what to write instead. When all is well, run it on a folder of yours:',
  '',
  '```sh',
  'weave hank.json path/to/folder',
  '```',
  '',
].join('\n')
