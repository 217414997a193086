import { runJobsAfterFile } from './after-file.js';

runJobsAfterFile();
