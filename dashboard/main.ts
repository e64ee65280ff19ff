import '@fontsource-variable/ibm-plex-sans/wght.css';
import '@fontsource/ibm-plex-mono/latin-400.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './global.css';
import { readTexts } from './language';

/** The texts come first: the pages read them as they are loaded. */
void readTexts().then(() => import('./start'));
