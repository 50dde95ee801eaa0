import { watch } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'

const folders = ['src', 'test', 'console', 'tools']
/** Wait for an editor that saves several files. */
const settleMs = 200

/**
 * Repeats this command, without --watch, after each change of a source, until Ctrl-C.
 * @param {readonly string[]} argv
 * @returns {Promise<never>}
 */
export async function watchSources(argv) {
  const script = join(projectRoot, 'tools', 'test.mjs')
  const command = [script, ...argv.filter((word) => word !== '--watch')]
  for (;;) {
    const change = nextChange()
    const { code } = await runChild(process.execPath, command)
    if (code > 128) process.exit(code)
    process.stdout.write('\nWaiting for a change; Ctrl-C ends.\n')
    const name = await change
    process.stdout.write(`\n${name} has changed.\n`)
  }
}

/** @returns {Promise<string>} the file that changed first */
function nextChange() {
  return new Promise((resolve) => {
    /** @type {string | undefined} */
    let first
    const watchers = folders.map((folder) =>
      watch(join(projectRoot, folder), { recursive: true }, (_event, file) => {
        const name = `${folder}/${String(file)}`
        if (first !== undefined || /(?:^|[/\\])(?:dist|\.)/.test(String(file))) return
        first = name
        setTimeout(() => {
          for (const each of watchers) each.close()
          resolve(name)
        }, settleMs)
      }),
    )
  })
}
