import { config } from 'zod'

/** Imported before any schema is made: the page's policy forbids making functions from text, and trying it is reported. */
config({ jitless: true })
