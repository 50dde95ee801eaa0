import { Button, Tooltip } from '@mantine/core'
import { useTranslation } from 'react-i18next'
import { IconPlayerPauseFilled, IconPlayerPlayFilled, IconPlugConnectedX } from '../icons/icons.ts'

interface LiveButtonProps {
  readonly isLive: boolean
  /** The last request to the gateway failed. */
  readonly isLost: boolean
  readonly onToggle: () => void
}

export function LiveButton({ isLive, isLost, onToggle }: LiveButtonProps) {
  const { t } = useTranslation()
  if (isLive && isLost) {
    return (
      <Tooltip label={t('usage.lostText')}>
        <Button
          variant="light"
          color="red"
          aria-pressed
          leftSection={<IconPlugConnectedX size={16} />}
          onClick={onToggle}
        >
          {t('usage.lost')}
        </Button>
      </Tooltip>
    )
  }
  return (
    <Tooltip label={isLive ? t('usage.livePress') : t('usage.pausedPress')}>
      <Button
        variant="light"
        color={isLive ? 'teal' : 'gray'}
        aria-pressed={isLive}
        leftSection={
          isLive ? <IconPlayerPauseFilled size={14} /> : <IconPlayerPlayFilled size={14} />
        }
        onClick={onToggle}
      >
        {isLive ? t('usage.live') : t('usage.paused')}
      </Button>
    </Tooltip>
  )
}
