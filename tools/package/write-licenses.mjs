import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'

const licenseFile = /^(?:licen[cs]e|copying|notice)(?:[.-].*)?$/i
const rule = '='.repeat(78)

const aboutBun = `Bun is MIT-licensed. Its executable statically links JavaScriptCore and parts of
WebKit (LGPL 2), tinycc (LGPL 2.1) and other libraries under permissive licences.
The file LICENSE.md of Bun's source repository, https://github.com/oven-sh/bun,
lists these libraries and says how to relink Bun with a changed JavaScriptCore.
Tollgate uses Bun's published executable unchanged.`

/**
 * The licences of everything inside a package, with their texts.
 * @param {readonly import('./list-components.mjs').Component[]} components
 * @returns {string}
 */
export function writeLicenses(components) {
  const parts = components.map((component) => {
    const { name, version, license, folder } = component
    const text = name === 'bun' ? aboutBun : textsIn(join(projectRoot, folder))
    return `${rule}\n${name} ${version}\n${license}\n${rule}\n\n${text.trim()}\n`
  })
  return `Tollgate contains the following software of others.\n\n${parts.join('\n')}`
}

/** @param {string} folder */
function textsIn(folder) {
  const names = readdirSync(folder).filter((name) => licenseFile.test(name))
  const texts = names.map((name) => readFileSync(join(folder, name), 'utf8').replaceAll('\r', ''))
  return texts.length > 0
    ? texts.join('\n')
    : 'The package has no file with the text of its licence.'
}
