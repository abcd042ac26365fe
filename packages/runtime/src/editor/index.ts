/**
 * Help for whoever writes a hank in an editor: from a text and an offset to suggestions, places, changes and hints. Pure,
 * and patient with texts that are not whole. Does not check a hank (`check` does), reads no file, and does not know which
 * protocol an editor speaks.
 */
export { type EditedText, placeIn, readEdited, type Span } from './edited-text.ts'
export { type FileReference, fileReferencesIn, insideOf, type NamedKind } from './file-references.ts'
export { type Hint, hintsIn, limitsAt } from './limits.ts'
export { modelText } from './model-words.ts'
export {
  continuationsOf,
  definitionsAt,
  fileAt,
  type HankTexts,
  type InDocument,
  idAt,
  mentionsOf,
  type Target,
} from './navigation.ts'
export { flatOutline, type OutlineItem, outlineOf } from './outline.ts'
export { renameId, type TextChange } from './rename.ts'
export {
  type EditedKind,
  type EditorFacts,
  type Suggestion,
  suggestionsAt,
  templateSuggestions,
} from './suggestions.ts'
