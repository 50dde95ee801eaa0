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

const aboutIcons = `The icons of Tabler Icons, https://github.com/tabler/tabler-icons.

MIT License

Copyright (c) 2020-2026 Paweł Kuna

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.`

/** What to write about packages that do not contain the text of their licence. */
const written = new Map([
  ['bun', aboutBun],
  ['@iconify-json/tabler', aboutIcons],
])

/**
 * The licences of everything inside a package, with their texts.
 * @param {readonly import('./list-components.mjs').Component[]} components
 * @returns {string}
 */
export function writeLicenses(components) {
  const parts = components.map((component) => {
    const { name, version, license, folder } = component
    const text = written.get(name) ?? textsIn(join(projectRoot, folder))
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
