import { Button, Tooltip } from '@mantine/core'
import { IconPlayerPauseFilled, IconPlayerPlayFilled } from '@tabler/icons-react'
import { useTranslation } from 'react-i18next'

export function LiveButton({ isLive, onToggle }: { isLive: boolean; onToggle: () => void }) {
  const { t } = useTranslation()
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
