import { availableParallelism } from 'node:os'
import { startProgress } from '../bootstrap/start-progress.mjs'
import { reportStep, skippedLines } from './report-step.mjs'

/** @typedef {import('./run-check.mjs').StepResult} StepResult */

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {readonly (() => Promise<StepResult>)[]} parts
 */

/** @typedef {{ passed: number, failed: number, skipped: number, skips: string[], repeat: string[] }} Totals */

/** Tests wait for sockets, disks, browsers and time limits for two thirds of their time. */
const lanesPerCore = 3.5

/** Interval of progress lines where no line can be overwritten. */
const lineEveryMs = 30_000

/**
 * Runs the parts of all steps concurrently, started in order, and reports a step when its last part has ended.
 * @param {readonly Step[]} steps
 * @param {{ lanes: number | undefined, isInterrupted: () => boolean }} options
 * @returns {Promise<Totals>}
 */
export async function runSteps(steps, { lanes, isInterrupted }) {
  /** @type {Totals} */
  const totals = { passed: 0, failed: 0, skipped: 0, skips: [], repeat: [] }
  const runs = steps.map((step) => ({
    ...step,
    left: step.parts.length,
    spentMs: 0,
    results: results(),
  }))
  const queue = runs.flatMap((run) => run.parts.map((start) => ({ run, start })))
  const partsInAll = queue.length
  /** @type {Set<(typeof queue)[number]>} */
  const underWay = new Set()
  const progress = startProgress(
    () => {
      const names = [...new Set([...underWay].map(({ run }) => run.name))].join(', ')
      const done = partsInAll - queue.length - underWay.size
      const failed = totals.failed > 0 ? `, ${totals.failed} failed` : ''
      return `${done} of ${partsInAll} parts${failed}: ${names}`
    },
    { announce: false, lineEveryMs },
  )

  const runLane = async () => {
    for (let part = queue.shift(); part && !isInterrupted(); part = queue.shift()) {
      underWay.add(part)
      const startedMs = performance.now()
      const result = await part.start()
      underWay.delete(part)
      if (isInterrupted()) return
      const { run } = part
      run.spentMs += performance.now() - startedMs
      run.results.push(result)
      run.left -= 1
      if (run.left > 0) continue
      progress.pause()
      const whole = joined(run.results)
      reportStep(run.name, whole, run.spentMs)
      addTo(totals, whole)
    }
  }
  const count = Math.min(lanes ?? defaultLanes(), partsInAll)
  await Promise.all(Array.from({ length: count }, runLane))
  progress.stop()
  return totals
}

function defaultLanes() {
  return Math.max(2, Math.round(availableParallelism() * lanesPerCore))
}

/** @returns {StepResult[]} */
function results() {
  return []
}

/** @param {readonly StepResult[]} all @returns {StepResult} */
function joined(all) {
  /** @param {(result: StepResult) => number} of */
  const sum = (of) => all.reduce((total, result) => total + of(result), 0)
  return {
    passed: sum(({ passed }) => passed),
    failed: sum(({ failed }) => failed),
    skipped: sum(({ skipped }) => skipped),
    // Show only the output of failed parts.
    output: all
      .filter(({ failed }) => failed > 0 === all.some((each) => each.failed > 0))
      .map(({ output }) => output)
      .join('\n'),
    code: Math.max(...all.map(({ code }) => code)),
    repeat: all.flatMap(({ repeat = [] }) => repeat),
  }
}

/**
 * @param {Totals} totals
 * @param {StepResult} result
 */
function addTo(totals, { passed, failed, skipped, output, repeat = [] }) {
  const lines = skippedLines(output)
  totals.passed += passed
  totals.failed += failed
  totals.skipped += skipped + lines.length
  totals.skips.push(...lines)
  totals.repeat.push(...repeat)
}
