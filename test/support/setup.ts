import { runJobsOfFile } from './file-jobs.js';

runJobsOfFile();
