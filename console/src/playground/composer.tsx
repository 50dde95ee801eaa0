import {
  ActionIcon,
  Button,
  FileButton,
  Group,
  Image,
  Text,
  Textarea,
  Tooltip,
} from '@mantine/core'
import { type FormEvent, type KeyboardEvent, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconPhoto, IconPlayerStop, IconSend, IconX } from '../icons/icons.ts'
import { notifyFailure } from '../parts/feedback/notify.ts'
import type { Picture } from './turn.ts'

interface ComposerProps {
  readonly isRunning: boolean
  readonly isDisabled: boolean
  readonly onSend: (text: string, picture: Picture | undefined) => void
  readonly onStop: () => void
}

const pictureMegabytesMax = 4
const pictureBytesMax = pictureMegabytesMax * 1024 * 1024

/** Input for a message and an optional image. */
export function Composer({ isRunning, isDisabled, onSend, onStop }: ComposerProps) {
  const { t } = useTranslation()
  const [text, setText] = useState('')
  const [picture, setPicture] = useState<Picture>()
  const isEmpty = text.trim() === ''
  const send = () => {
    if (isEmpty || isRunning || isDisabled) return
    onSend(text, picture)
    setText('')
    setPicture(undefined)
  }
  const submit = (event: FormEvent) => {
    event.preventDefault()
    send()
  }
  const press = (event: KeyboardEvent) => {
    // While an input method composes a word, as in Chinese, Enter belongs to the input method.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return
    event.preventDefault()
    send()
  }
  const take = async (file: File | null) => {
    if (!file) return
    if (file.size > pictureBytesMax)
      return notifyFailure(t('play.imageLarge', { max: pictureMegabytesMax }))
    const data = await base64Of(file)
    if (data === undefined) return notifyFailure(t('play.imageUnreadable'))
    setPicture({ mediaType: file.type, data })
  }
  return (
    <form onSubmit={submit}>
      {picture && (
        <Group gap={4} mb={6} align="flex-start">
          <Image
            src={`data:${picture.mediaType};base64,${picture.data}`}
            alt=""
            h={64}
            w="auto"
            radius="md"
          />
          <ActionIcon
            variant="subtle"
            color="gray"
            aria-label={t('play.imageRemove')}
            onClick={() => setPicture(undefined)}
          >
            <IconX size={15} />
          </ActionIcon>
        </Group>
      )}
      <Group gap="xs" align="flex-end" wrap="nowrap">
        <FileButton
          onChange={(file) => void take(file)}
          accept="image/png,image/jpeg,image/webp,image/gif"
        >
          {(props) => (
            <Tooltip label={t('play.image')}>
              <ActionIcon {...props} variant="default" size={36} aria-label={t('play.image')}>
                <IconPhoto size={18} stroke={1.6} />
              </ActionIcon>
            </Tooltip>
          )}
        </FileButton>
        <Textarea
          aria-label={t('play.message')}
          placeholder={t('play.messageHint')}
          autosize
          minRows={1}
          maxRows={8}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onKeyDown={press}
          style={{ flex: 1 }}
        />
        {isRunning ? (
          <Button variant="default" leftSection={<IconPlayerStop size={16} />} onClick={onStop}>
            {t('play.stop')}
          </Button>
        ) : (
          <Button
            type="submit"
            disabled={isEmpty || isDisabled}
            leftSection={<IconSend size={16} />}
          >
            {t('play.send')}
          </Button>
        )}
      </Group>
      <Text size="xs" c="dimmed" mt={4} visibleFrom="sm">
        {t('play.messageKeys')}
      </Text>
    </form>
  )
}

/** FileReader, because not every browser has `Uint8Array.toBase64` yet. Undefined if reading fails. */
function base64Of(file: File): Promise<string | undefined> {
  return new Promise((resolve) => {
    const reader = new FileReader()
    reader.onload = () => {
      const url = typeof reader.result === 'string' ? reader.result : ''
      resolve(url.slice(url.indexOf(',') + 1))
    }
    reader.onerror = () => resolve(undefined)
    reader.readAsDataURL(file)
  })
}
