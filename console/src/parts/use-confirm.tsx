import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'

interface Question {
  readonly title: string
  readonly text: ReactNode
  /** The word on the button, such as `Delete`. */
  readonly action: string
  readonly onYes: () => void
  readonly color?: string
}

/** Asks before something that cannot be taken back. Answers the way to ask, and the dialog to place in the page. */
export function useConfirm(): [(question: Question) => void, ReactNode] {
  const { t } = useTranslation()
  const [question, setQuestion] = useState<Question>()
  const [isOpen, setOpen] = useState(false)
  const close = () => setOpen(false)
  const ask = (next: Question) => {
    setQuestion(next)
    setOpen(true)
  }
  const dialog = (
    <Modal
      opened={isOpen}
      onClose={close}
      title={question?.title}
      closeButtonProps={{ 'aria-label': t('close') }}
    >
      <Stack>
        <Text size="sm" component="div">
          {question?.text}
        </Text>
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={close} data-autofocus>
            {t('cancel')}
          </Button>
          <Button
            color={question?.color ?? 'red'}
            onClick={() => {
              close()
              question?.onYes()
            }}
          >
            {question?.action}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
  return [ask, dialog]
}
