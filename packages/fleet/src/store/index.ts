/** Immutable objects, named by their content. */

export { openStore, type Store } from './store.ts'
