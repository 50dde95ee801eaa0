import { crc32 } from 'node:zlib'
import type { LeaseOwner } from '../leases/lease-units.ts'

/** `A` for an admission, `S` for records for the database. */
export type LineKind = 'A' | 'S'

export interface JournalLine {
  readonly kind: LineKind
  readonly json: string
}

/** A line ends with a checksum of its content, which shows whether the line is torn or damaged. */
export function sealLine(kind: LineKind, json: string): string {
  return `${kind}${json}\t${crc32(json).toString(16)}\n`
}

/** Closes a line that the writer could not complete. The requests of this line have got the error. */
export const abandonedEnd = '\t-\n'

export interface OpenedJournal {
  /** The valid lines, in order. */
  readonly lines: readonly JournalLine[]
  /** Lines that are neither valid nor abandoned. */
  readonly damagedTexts: readonly string[]
}

export function openJournal(text: string): OpenedJournal {
  const lines: JournalLine[] = []
  const damagedTexts: string[] = []
  const pieces = text.split('\n')
  for (const [index, piece] of pieces.entries()) {
    // Zeros at the end of the file are reserved space; zeros elsewhere are left by a loss of power.
    const line = piece.replace(/^\0+/, '')
    const isReserve = line === '' && index === pieces.length - 1
    const isHole = line.length < piece.length && !isReserve
    const opened = openLine(line)
    if (opened) lines.push(opened)
    if (isHole || !(opened || isBlank(line))) damagedTexts.push(piece)
  }
  return { lines, damagedTexts }
}

/** The valid lines of a journal's text, in order. */
export function openLines(text: string): readonly JournalLine[] {
  return openJournal(text).lines
}

function openLine(line: string): JournalLine | undefined {
  const tab = line.lastIndexOf('\t')
  const kind = line[0]
  const json = line.slice(1, tab)
  if (tab < 1 || (kind !== 'A' && kind !== 'S')) return undefined
  return line.slice(tab + 1) === crc32(json).toString(16) ? { kind, json } : undefined
}

function isBlank(line: string): boolean {
  return line === '' || `${line}\n`.endsWith(abandonedEnd)
}

export function journalFileName(owner: LeaseOwner, number: number): string {
  return `${stemOf(owner)}-${number}.log`
}

/** The lock file is locked as long as the process that writes the journal lives. */
export function lockFileName(owner: LeaseOwner): string {
  return `${stemOf(owner)}.lock`
}

/** A replica name may contain any character; a file name may not. */
function stemOf({ replica, epoch }: LeaseOwner): string {
  return `journal-${encodeURIComponent(replica)}-${epoch}`
}

export function isJournalOf(owner: LeaseOwner, fileName: string): boolean {
  const stem = stemOf(owner)
  return fileName.startsWith(`${stem}-`) && /^-\d+\.log$/.test(fileName.slice(stem.length))
}

const damagedPrefix = 'damaged-'

/** The name under which a journal with damaged lines is kept. */
export function damagedFileName(fileName: string): string {
  return `${damagedPrefix}${fileName}`
}

export function isKeptForDamage(fileName: string): boolean {
  return fileName.startsWith(damagedPrefix)
}

/** The epochs of a replica that have files in the folder, including files kept because of damage. */
export function epochsIn(fileNames: readonly string[], replica: string): Set<number> {
  const epochs = new Set<number>()
  for (const name of fileNames) {
    const isKept = isKeptForDamage(name)
    const writer = writerOf(isKept ? name.slice(damagedPrefix.length) : name)
    if (writer?.replica === replica) epochs.add(writer.epoch)
  }
  return epochs
}

/** Later segments of a journal have higher numbers. */
export function segmentNumberOf(fileName: string): number {
  return Number(/-(\d+)\.log$/.exec(fileName)?.[1])
}

/** The owner of a journal or lock file; undefined for other files. */
export function writerOf(fileName: string): LeaseOwner | undefined {
  const match = /^journal-(.+)-(\d+)(?:-\d+\.log|\.lock)$/.exec(fileName)
  if (match?.[1] === undefined) return undefined
  return { replica: decodeURIComponent(match[1]), epoch: Number(match[2]) }
}
