"""What the MPI Operator tells Open MPI 4 by variables, in the words of Open MPI 5, which this machine may have.

Sources: mpi-operator 0.8.2, `ompiEnvVars` in pkg/controller/mpi_job_controller.go; Open MPI 5.0.11, `prte_info --param
all all --level 9`.
"""

from collections.abc import Mapping

IN_WORDS_OF_5: Mapping[str, str] = {
    "OMPI_MCA_orte_default_hostfile": "PRTE_MCA_prte_default_hostfile",
    "OMPI_MCA_orte_keep_fqdn_hostnames": "PRTE_MCA_prte_keep_fqdn_hostnames",
    "OMPI_MCA_orte_set_default_slots": "PRTE_MCA_prte_set_default_slots",
    "OMPI_MCA_plm_rsh_args": "PRTE_MCA_plm_ssh_args",
}
SAID = (
    "Open MPI 5 does not read the variables OMPI_MCA_orte_… that the MPI Operator sets, so they are set as PRTE_MCA_… "
    "too; on a cluster an image with Open MPI 5 starts all processes in the launcher, unless mpirun gets "
    "--hostfile /etc/mpi/hostfile"
)


def in_words_of_5(variables: Mapping[str, str]) -> dict[str, str]:
    """The variables to add, where they are not set."""
    return {
        new: variables[old] for old, new in IN_WORDS_OF_5.items() if old in variables and new not in variables
    }
