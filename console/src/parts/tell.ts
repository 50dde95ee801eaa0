import { notifications } from '@mantine/notifications'
import { closeWord } from '../i18n/start-i18n.ts'

/** A short word that something is done. */
export function tellDone(message: string): void {
  show(message, 'teal', 4_000)
}

/** A short word that something failed. */
export function tellFailed(message: string): void {
  show(message, 'red', 8_000)
}

function show(message: string, color: string, autoClose: number): void {
  notifications.show({
    message,
    color,
    autoClose,
    closeButtonProps: { 'aria-label': closeWord() },
  })
}
