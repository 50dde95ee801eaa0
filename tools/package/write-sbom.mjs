import { createHash } from 'node:crypto'

/** @typedef {import('./list-components.mjs').Component} Component */

/**
 * A bill of materials in the format CycloneDX 1.6.
 * @param {readonly Component[]} components
 * @param {import('./build-info.mjs').BuildInfo} info
 * @returns {string}
 */
export function writeSbom(components, { version, commit, epochSeconds }) {
  const root = `pkg:npm/tollgate@${version}`
  const refOf = new Map(components.map((component) => [component.folder, referenceOf(component)]))
  const listed = components.map((component) => describe(component))
  const direct = components.map(referenceOf)
  const document = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: `urn:uuid:${uuidOf(`${version} ${commit} ${direct.join(' ')}`)}`,
    version: 1,
    metadata: {
      timestamp: new Date(epochSeconds * 1000).toISOString(),
      component: {
        type: 'application',
        'bom-ref': root,
        name: 'tollgate',
        version,
        purl: root,
        licenses: [{ license: { id: 'Apache-2.0' } }],
        properties: [{ name: 'tollgate:commit', value: commit }],
      },
    },
    components: listed,
    dependencies: [
      { ref: root, dependsOn: direct },
      ...components.map((component) => ({
        ref: referenceOf(component),
        dependsOn: [...new Set(component.needs.flatMap((folder) => refOf.get(folder) ?? []))],
      })),
    ],
  }
  return `${JSON.stringify(document, null, 2)}\n`
}

/** @param {Component} component */
function describe(component) {
  const { name, version, license, integrity } = component
  const [, group, ownName = name] = /^(@[^/]+)\/(.+)$/.exec(name) ?? []
  const hash = integrity?.startsWith('sha512-') ? integrity.slice('sha512-'.length) : undefined
  return {
    type: 'library',
    'bom-ref': referenceOf(component),
    ...(group !== undefined && { group }),
    name: ownName,
    version,
    scope: 'required',
    licenses: /[ ()]/.test(license) ? [{ expression: license }] : [{ license: { id: license } }],
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(hash !== undefined && {
      hashes: [{ alg: 'SHA-512', content: Buffer.from(hash, 'base64').toString('hex') }],
    }),
  }
}

/** @param {Component} component two copies of one version have different folders */
function referenceOf({ folder, version }) {
  return `${folder}@${version}`
}

/** @param {string} text @returns {string} the same for the same text */
function uuidOf(text) {
  const hex = createHash('sha256').update(text).digest('hex')
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20, 32)}`
}
