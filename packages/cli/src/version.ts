declare const __WEAVE_VERSION__: string | undefined

/** The version of the package; put in by the bundler. From source it says so. */
export const version = typeof __WEAVE_VERSION__ === 'string' ? __WEAVE_VERSION__ : '0.0.0-source'
