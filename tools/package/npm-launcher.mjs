#!/usr/bin/env node
import { realpathSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import '../bootstrap/require-node.mjs'
import { runBun } from '../bootstrap/run-bun.mjs'

/*
 * The command of the npm package. npm puts Bun beside this package or above it; other package managers put the packages
 * of a package beside its real folder.
 */

const here = dirname(fileURLToPath(import.meta.url))
const require = createRequire(import.meta.url)
const bunFolder = dirname(realpathSync(require.resolve('bun/package.json')))
const modulesFolders = [dirname(bunFolder), ...(require.resolve.paths('bun') ?? [])]
// A file in the working directory must not change how the program runs: Bun would read `.env` and `bunfig.toml` there.
const selfContained = ['--no-env-file', `--config=${join(here, 'bunfig.toml')}`]
const program = join(here, '..', 'program', 'main.js')
await runBun([...selfContained, program, ...process.argv.slice(2)], modulesFolders)
