import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { casesOf, crossPairs, goldenPath } from './golden-case.ts'
import { matrixPath, renderMatrix } from './matrix/render-matrix.ts'
import { renderPair } from './render-pair.ts'

/** Writes all golden files and the matrix from the current behaviour of the code. */
function writeGolden(): number {
  let count = 0
  for (const pair of crossPairs) {
    for (const name of casesOf(pair)) {
      const path = goldenPath(pair, name)
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, renderPair(pair, name))
      count += 1
    }
  }
  mkdirSync(dirname(matrixPath), { recursive: true })
  writeFileSync(matrixPath, renderMatrix())
  return count
}

if (!process.argv.includes('--write')) {
  process.stderr.write(
    'Say --write to overwrite the golden files and docs/protocols/matrix.md with what the code does now.\n',
  )
  process.exitCode = 2
} else process.stdout.write(`${writeGolden()} golden files and the matrix written\n`)
