/** Immutable objects, named by their content. */

export { noKey, readKey, refuseKey } from './key.ts'
export { openStore, type Store } from './store.ts'
