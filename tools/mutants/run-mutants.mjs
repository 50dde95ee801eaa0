import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { bunPath } from '../bootstrap/bun-path.mjs'
import { projectRoot } from '../bootstrap/project-root.mjs'
import { runChild } from '../bootstrap/run-child.mjs'
import { measureSlowness } from '../testing/measure-slowness.mjs'
import { chooseQuickMutants, listMutants } from './list-mutants.mjs'
import { proofs } from './proofs.mjs'

/** A mutant may block a test for ever. The limit exceeds the time of any proof on an idle machine. */
const proofMsMax = 8_000

/** With the seed of these runs each mutant is found within 22 sequences, so 60 leave room for changes of the model. */
const modelSequences = 60 * Number(process.env['TEST_REPEATS'] ?? 1)

/**
 * Applies each mutant to a copy of the sources and runs its proof there. A quick run takes the mutants of
 * `chooseQuickMutants`, and leaves it to the suites of the proofs to show that these pass without a mutant.
 * @param {(line: string) => void} say
 * @param {{ isQuick: boolean }} options
 * @returns {Promise<{ killed: string[], survived: string[] }>}
 */
export async function runMutants(say, { isQuick }) {
  const all = listMutants()
  checkMutantsMatch(all)
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-mutants-'))
  try {
    for (const name of ['src', 'test', 'package.json', 'tsconfig.json']) {
      cpSync(join(projectRoot, name), join(folder, name), { recursive: true })
    }
    symlinkSync(join(projectRoot, 'node_modules'), join(folder, 'node_modules'), 'junction')
    if (!isQuick) await checkProofsPass(folder)
    return await killAll(folder, isQuick ? chooseQuickMutants(all) : all, say)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/**
 * A proof that fails without a mutant would kill every mutant and prove nothing.
 * @param {string} folder
 */
async function checkProofsPass(folder) {
  for (const name of /** @type {(keyof typeof proofs)[]} */ (Object.keys(proofs))) {
    const { code, output } = await runProof(folder, name)
    if (code !== 0) throw new Error(`The proof ${name} fails without any mutant:\n${output}`)
  }
}

/**
 * A mutant that no longer fits its file is reported by every run, also if the run leaves it out.
 * @param {readonly import('./mutated-files.mjs').Mutant[]} mutants
 */
function checkMutantsMatch(mutants) {
  for (const { name, file, find } of mutants) {
    if (readFileSync(join(projectRoot, file), 'utf8').split(find).length !== 2) {
      throw new Error(`The mutant "${name}" no longer matches ${file}.`)
    }
  }
}

/**
 * @param {string} folder
 * @param {readonly import('./mutated-files.mjs').Mutant[]} mutants
 * @param {(line: string) => void} say
 */
async function killAll(folder, mutants, say) {
  /** @type {string[]} */
  const killed = []
  /** @type {string[]} */
  const survived = []
  for (const mutant of mutants) {
    const path = join(folder, mutant.file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      text.replace(mutant.find, () => mutant.replace),
    )
    const { code, output } = await runProof(folder, mutant.proof)
    writeFileSync(path, text)
    // Code that does not load is not a valid mutant, so a failed test must be in the output.
    const isKilled = code !== 0 && /^\(fail\) /m.test(output)
    const list = isKilled ? killed : survived
    list.push(mutant.name)
    say(`${isKilled ? 'killed  ' : 'SURVIVED'}  ${mutant.proof.padEnd(7)}  ${mutant.name}`)
  }
  return { killed, survived }
}

/**
 * @param {string} folder
 * @param {keyof typeof proofs} name
 */
function runProof(folder, name) {
  const env = {
    ...process.env,
    TEST_MODEL_SEQUENCES: String(modelSequences),
    TEST_REPEATS: '1',
    TEST_POSTGRES_URL: '',
    CI: '',
  }
  const timeoutMs = Math.ceil(proofMsMax * measureSlowness())
  return runChild(bunPath(), ['test', `--timeout=${timeoutMs}`, '--bail', ...proofs[name]], {
    cwd: folder,
    env,
    capture: true,
  })
}
