/**
 * Prompts: from the texts of a hank to the texts that go to a model. Owns the order and the joins of the parts, the front
 * matter, the template variables and the comments.
 *
 * It reads no file and knows no codon: file texts and paths come in as plain data. Every pass is linear in the text.
 */
export { assemblePrompt, type PromptSource } from './assemble.ts'
export type { PromptFile, PromptMetadata } from './front-matter.ts'
