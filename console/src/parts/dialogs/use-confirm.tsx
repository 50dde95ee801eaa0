import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { memoized } from '../forms/memoized.tsx'
import { useEscape } from './use-escape.ts'

/** Above every panel and form. */
const confirmZIndex = 500

interface Question {
  readonly title: string
  readonly text: ReactNode
  /** The label of the button; absent when the action is impossible, and the text says why. */
  readonly action: string | undefined
  readonly onYes: () => void
  readonly color?: string
  /** Called when the dialog is closed without the action. */
  readonly onNo?: () => void
  /** The label of the other button; `Cancel` by default. */
  readonly cancel?: string
}

/** Confirms an irreversible action. Returns a function that asks, and the dialog to render. */
export function useConfirm(): [(question: Question) => void, ReactNode] {
  const [question, setQuestion] = useState<Question>()
  const [isOpen, setOpen] = useState(false)
  const close = () => {
    setOpen(false)
    question?.onNo?.()
  }
  useEscape(isOpen, close)
  const ask = (next: Question) => {
    if (isOpen) question?.onNo?.()
    setQuestion(next)
    setOpen(true)
  }
  const yes = () => {
    setOpen(false)
    question?.onYes()
  }
  return [
    ask,
    <Confirmation key="ask" isOpen={isOpen} question={question} onNo={close} onYes={yes} />,
  ]
}

interface ConfirmationProps {
  readonly isOpen: boolean
  readonly question: Question | undefined
  readonly onNo: () => void
  readonly onYes: () => void
}

const Confirmation = memoized(function Confirmation(props: ConfirmationProps) {
  const { isOpen, question, onNo, onYes } = props
  const { t } = useTranslation()
  return (
    <Modal
      opened={isOpen}
      onClose={onNo}
      closeOnEscape={false}
      // The second click of a double click must not answer the question that the first one asked.
      closeOnClickOutside={false}
      zIndex={confirmZIndex}
      title={question?.title}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text size="sm" component="div">
          {question?.text}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onNo} data-autofocus>
            {question?.cancel ?? t(question?.action === undefined ? 'close' : 'cancel')}
          </Button>
          {question?.action !== undefined && (
            <Button color={question.color ?? 'red'} onClick={onYes}>
              {question.action}
            </Button>
          )}
        </Group>
      </Stack>
    </Modal>
  )
})
