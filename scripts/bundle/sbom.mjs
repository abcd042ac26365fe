/** @import { Inlined } from './inlined.mjs' */

/**
 * `sbom.cdx.json`: what is in the bundle, in the form of CycloneDX 1.6. Nothing in it depends on when or where it is made.
 *
 * @param {{ name: string, version: string, license: string }} program
 * @param {readonly Inlined[]} packages
 * @param {{ integrityOf: (place: string) => string | undefined, time: Date | undefined }} facts
 */
export function sbomOf(program, packages, { integrityOf, time }) {
  const own = purlOf(program)
  const components = packages.map(each => ({
    type: 'library',
    'bom-ref': purlOf(each),
    ...namesOf(each.name),
    version: each.version,
    licenses: [licenceOf(each.license)],
    purl: purlOf(each),
    ...hashesOf(integrityOf(each.place)),
  }))
  return {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: {
      ...(time && { timestamp: time.toISOString() }),
      component: {
        type: 'application',
        'bom-ref': own,
        name: program.name,
        version: program.version,
        licenses: [licenceOf(program.license)],
        purl: own,
      },
    },
    components,
    dependencies: [
      { ref: own, dependsOn: components.map(component => component['bom-ref']) },
      ...components.map(component => ({ ref: component['bom-ref'] })),
    ],
  }
}

/** @param {string} name */
function namesOf(name) {
  const [scope, rest] = name.split('/')
  return rest === undefined ? { name } : { group: scope, name: rest }
}

/** @param {{ name: string, version: string }} each */
function purlOf({ name, version }) {
  return `pkg:npm/${name.replace('@', '%40')}@${version}`
}

/** @param {string} license */
function licenceOf(license) {
  return / (?:OR|AND|WITH) /.test(license) ? { expression: license } : { license: { id: license } }
}

/** As the lockfile has it: `sha512-` and base64. @param {string | undefined} integrity */
function hashesOf(integrity) {
  const [, algorithm, text] = /^sha(256|384|512)-([\w+/]+=*)/.exec(integrity ?? '') ?? []
  if (algorithm === undefined || text === undefined) return {}
  return { hashes: [{ alg: `SHA-${algorithm}`, content: Buffer.from(text, 'base64').toString('hex') }] }
}
