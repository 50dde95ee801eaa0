import { notifications } from '@mantine/notifications'
import { textOf } from '../../i18n/start-i18n.ts'

/** Success notification. */
export function notifySuccess(message: string): void {
  show(message, 'teal', 4_000)
}

/** Error notification. */
export function notifyFailure(message: string): void {
  show(message, 'red', 8_000)
}

function show(message: string, color: string, autoClose: number): void {
  notifications.show({
    message,
    color,
    autoClose,
    closeButtonProps: { 'aria-label': textOf('close') },
  })
}
